/**
 * Real servers for tests and benchmarks, out of Maven artifacts: nothing has to be installed. Each can be stopped, killed,
 * paused and started again, and ends with the JVM that started it.
 */
@NullMarked
package io.fenceline.servers;

import org.jspecify.annotations.NullMarked;
