/**
 * Runs a command under a deadline that holds even when this JVM is stopped or dead.
 *
 * <p>{@link io.fenceline.cli.process.ChildProcess} starts it, {@link io.fenceline.cli.process.SignalForwarding}
 * forwards signals to it, and {@link io.fenceline.cli.process.BootClock} is the clock of the deadlines. This package does not
 * depend on locks.
 */
@NullMarked
package io.fenceline.cli.process;

import org.jspecify.annotations.NullMarked;
