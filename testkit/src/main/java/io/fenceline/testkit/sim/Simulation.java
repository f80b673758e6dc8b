package io.fenceline.testkit.sim;

import io.fenceline.memory.MemoryLockBackend;
import java.util.List;
import java.util.Optional;

/**
 * Several processes with the production engine, one lock server and two resources, in a world in which requests and replies
 * are lost, late and repeated, clocks drift and are stepped, processes are stopped and killed, and the server goes down. One
 * seed decides all of it, so a run that finds something can be repeated as often as need be.
 *
 * <pre>{@code
 * Simulation.of(seed).on(MyModelBackend::new).run().assertSound();
 * }</pre>
 *
 * <p>Afterwards the history is held against the promises of docs/guarantees.md: of the server's grants, of what holders
 * believed and when they were told, of what a fenced resource accepted, and of progress once nothing fails any more.
 *
 * <p>The manner is that of FoundationDB's simulation and of TigerBeetle's VOPR.
 */
public final class Simulation {

    private final long seed;
    private final Setup setup;

    private Simulation(long seed, Setup setup) {
        this.seed = seed;
        this.setup = setup;
    }

    /**
     * Returns a simulation on a {@link MemoryLockBackend}.
     *
     * @param seed decides everything that is left to chance
     * @return a simulation
     */
    public static Simulation of(long seed) {
        return new Simulation(seed, Setup.production());
    }

    /**
     * Returns the same simulation on another backend.
     *
     * @param backend makes the backend of each run
     * @return a simulation
     */
    public Simulation on(BackendModel backend) {
        return with(setup.withBackend(backend));
    }

    Simulation with(Setup changed) {
        return new Simulation(seed, changed);
    }

    /**
     * Runs it, which takes some hundredths of a second.
     *
     * @return what happened
     * @throws IllegalStateException if a thread waits for anything but the simulation
     */
    public SimulationRun run() {
        World world = new World(seed, setup);
        Optional<Throwable> failure = world.run();
        List<HistoryEntry> history = world.history().lines();
        Optional<Violation> violation = new Checker(world.hasSafeClocks()).firstViolation(history);
        return new SimulationRun(seed, history, violation, failure);
    }
}
