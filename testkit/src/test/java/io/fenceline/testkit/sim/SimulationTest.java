package io.fenceline.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The production engine on {@link Seeds}: {@code -Dfenceline.seeds=} sets how many are tried, {@code -Dfenceline.seed=} replays one. */
class SimulationTest {

    /** As many as show lost updates for certain. */
    private static final long MANY = 100;

    @Test
    void keepsEveryPromise() throws InterruptedException {
        AtomicLong runs = new AtomicLong();
        AtomicLong lostUpdates = new AtomicLong();
        AtomicLong passedOn = new AtomicLong();

        Seeds.forEach(Long.MAX_VALUE, seed -> {
            SimulationRun run = Simulation.of(seed).run();
            run.assertSound();
            runs.incrementAndGet();
            lostUpdates.addAndGet(lostUpdates(run));
            passedOn.addAndGet(run.count(Event.PassedOn.class, event -> true));
        });

        if (runs.get() >= MANY) {
            assertThat(lostUpdates)
                    .as("lost updates of a resource that does not check tokens")
                    .hasPositiveValue();
            assertThat(passedOn)
                    .as("grants that were passed on within a process")
                    .hasValueGreaterThan(runs.get() / 2);
        }
    }

    @Test
    void keepsEveryPromiseWithTokensFromTheClock() throws InterruptedException {
        Seeds.forEach(
                MANY,
                seed -> Simulation.of(seed)
                        .on((ticker, wallClock) ->
                                new MemoryLockBackend(new MemoryStore(TokenMode.CLOCK_FLOOR, ticker, wallClock)))
                        .run()
                        .assertSound());
    }

    @Test
    void doesTheSameForTheSameSeed() throws InterruptedException {
        Seeds.forEach(
                20,
                seed -> assertThat(Simulation.of(seed).run().history())
                        .isEqualTo(Simulation.of(seed).run().history()));
    }

    private static long lostUpdates(SimulationRun run) {
        return run.count(
                Event.Wrote.class, wrote -> wrote.register().equals("unfenced") && wrote.expected() != wrote.found());
    }
}
