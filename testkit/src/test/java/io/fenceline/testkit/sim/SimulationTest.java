package io.fenceline.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** {@code -Dsim.runs=} sets how many seeds are tried, {@code -Dsim.seed=} replays one. */
class SimulationTest {

    static final long RUNS = Long.getLong("sim.runs", 300);

    @Test
    void keepsEveryPromise() throws Exception {
        List<SimulationRun> runs =
                onAllCores(seeds(), seed -> Simulation.of(seed).run());

        runs.forEach(SimulationRun::assertSound);
        if (runs.size() >= 100) {
            assertThat(runs.stream().mapToLong(SimulationTest::lostUpdates).sum())
                    .as("lost updates of a resource that does not check tokens")
                    .isPositive();
        }
    }

    @Test
    void keepsEveryPromiseWithTokensFromTheClock() throws Exception {
        onAllCores(
                        seeds().limit(100),
                        seed -> Simulation.of(seed)
                                .on((ticker, wallClock) -> new MemoryLockBackend(
                                        new MemoryStore(TokenMode.CLOCK_FLOOR, ticker, wallClock)))
                                .run())
                .forEach(SimulationRun::assertSound);
    }

    @Test
    void doesTheSameForTheSameSeed() {
        seeds().limit(20)
                .forEach(seed -> assertThat(Simulation.of(seed).run().history())
                        .isEqualTo(Simulation.of(seed).run().history()));
    }

    private static LongStream seeds() {
        Long only = Long.getLong("sim.seed");
        return only == null ? LongStream.range(0, RUNS) : LongStream.of(only);
    }

    private static List<SimulationRun> onAllCores(LongStream seeds, LongFunction<SimulationRun> run) throws Exception {
        ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            List<SimulationRun> runs = new ArrayList<>();
            for (Future<SimulationRun> done :
                    threads.invokeAll(seeds.<Callable<SimulationRun>>mapToObj(seed -> () -> run.apply(seed))
                            .toList())) {
                runs.add(done.get());
            }
            return runs;
        } finally {
            threads.shutdownNow();
        }
    }

    private static long lostUpdates(SimulationRun run) {
        return run.count(
                Event.Wrote.class, wrote -> wrote.register().equals("unfenced") && wrote.expected() != wrote.found());
    }
}
