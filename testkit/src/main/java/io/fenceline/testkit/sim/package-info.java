/**
 * The production engine in a simulated world: clients, a network and a server whose every fault comes from one seed.
 *
 * <p>{@link io.fenceline.testkit.sim.Simulation} is where to start.
 *
 * <p>How a seed decides everything: the engine runs in real threads, of which exactly one runs at a time. A thread gives way
 * only where it waits for time or for the network, and then runs the scheduler itself, which takes the next event in simulated
 * time. All chance is drawn from one generator by whoever runs. No engine lock is ever contended, since no two threads are
 * made to extend or to release one lease at a time. Lock ids are random, so the history numbers them in the order in
 * which they appear.
 */
@NullMarked
package io.fenceline.testkit.sim;

import org.jspecify.annotations.NullMarked;
