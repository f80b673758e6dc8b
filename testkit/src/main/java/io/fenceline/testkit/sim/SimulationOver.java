package io.fenceline.testkit.sim;

/** Unwinds the thread of a simulated process when the simulation is over. An error, so that nothing on the way handles it. */
@SuppressWarnings("serial")
final class SimulationOver extends Error {

    SimulationOver() {
        super("the simulation is over", null, false, false);
    }
}
