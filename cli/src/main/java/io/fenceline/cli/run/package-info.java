/** Runs work under a lock or a leadership: acquires, starts the command, stops it when the lease is lost, releases. */
@NullMarked
package io.fenceline.cli.run;

import org.jspecify.annotations.NullMarked;
