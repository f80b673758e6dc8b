/**
 * Runs a command under a deadline that holds even when this JVM is stopped or dead.
 *
 * <p>{@link io.fenceline.cli.process.ChildProcess} starts it, {@link io.fenceline.cli.process.SignalForwarding}
 * hands it our signals, and {@link io.fenceline.cli.process.BootClock} tells the time that deadlines are counted
 * in. Nothing here knows of locks.
 */
@NullMarked
package io.fenceline.cli.process;

import org.jspecify.annotations.NullMarked;
