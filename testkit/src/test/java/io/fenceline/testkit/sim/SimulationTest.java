package io.fenceline.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** {@code -Dsim.runs=} sets how many seeds are tried, {@code -Dsim.seed=} replays one. */
class SimulationTest {

    static final long RUNS = Long.getLong("sim.runs", 300);

    @Test
    void keepsEveryPromise() {
        List<SimulationRun> runs =
                seeds().mapToObj(seed -> Simulation.of(seed).run()).toList();

        runs.forEach(SimulationRun::assertSound);
        if (runs.size() >= 100) {
            assertThat(runs.stream().mapToLong(SimulationTest::lostUpdates).sum())
                    .as("lost updates of a resource that does not check tokens")
                    .isPositive();
        }
    }

    @Test
    void keepsEveryPromiseWithTokensFromTheClock() {
        seeds().limit(100)
                .mapToObj(seed -> Simulation.of(seed)
                        .on((ticker, wallClock) ->
                                new MemoryLockBackend(new MemoryStore(TokenMode.CLOCK_FLOOR, ticker, wallClock)))
                        .run())
                .toList()
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
        return (only == null ? LongStream.range(0, RUNS) : LongStream.of(only)).parallel();
    }

    private static long lostUpdates(SimulationRun run) {
        return run.count(
                Event.Wrote.class, wrote -> wrote.register().equals("unfenced") && wrote.expected() != wrote.found());
    }
}
