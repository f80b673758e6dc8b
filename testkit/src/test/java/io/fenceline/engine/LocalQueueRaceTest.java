package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.testkit.BackendOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** L6: no turn is lost, and none is given twice, when waiters give up just as it is passed on. */
class LocalQueueRaceTest {

    private final Bench bench = Bench.polling();

    private static final int ROUNDS = 1000;

    @Test
    void aTimeOutAtTheMomentOfTheHandOver() throws Exception {
        int got = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Lease lease = bench.acquire();
            Background<Optional<Lease>> waiter = Background.start(() -> acquireWithin(Duration.ofSeconds(1)));
            bench.time.awaitParked(1);
            Background<Object> release = Background.start(() -> {
                lease.close();
                return "";
            });
            bench.time.advance(Duration.ofSeconds(1));

            Optional<Lease> outcome = waiter.result();
            release.result();
            outcome.ifPresent(Lease::close);
            got += outcome.isPresent() ? 1 : 0;
            assertNobodyHasTheTurn(round);
        }
        assertThat(bench.asked(BackendOperation.RELEASE)).isEqualTo(2 * ROUNDS + got);
    }

    @Test
    void anInterruptAtTheMomentOfTheHandOver() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            Lease lease = bench.acquire();
            Background<Optional<Lease>> waiter = Background.start(() -> acquireWithin(Duration.ofHours(1)));
            bench.time.awaitParked(1);
            Background<Object> release = Background.start(() -> {
                lease.close();
                return "";
            });
            waiter.interrupt();

            waiter.result().ifPresent(Lease::close);
            release.result();
            assertNobodyHasTheTurn(round);
        }
    }

    @Test
    void manyThreadsThatComeAndGo() throws Exception {
        MemoryLockBackend backend = new MemoryLockBackend();
        AtomicInteger inside = new AtomicInteger();
        try (Locks locks = Locks.over(backend)) {
            List<Background<Object>> threads = new ArrayList<>();
            for (int seed = 0; seed < 8; seed++) {
                Random random = new Random(seed);
                threads.add(Background.start(() -> {
                    for (int i = 0; i < 300; i++) {
                        LockOptions options = OPTIONS.withMaxWait(Duration.ofNanos(random.nextInt(300_000)));
                        try (Lease lease = locks.acquire(NAME, options)) {
                            assertThat(inside.incrementAndGet()).as("holders").isOne();
                            assertThat(lease.isHeld()).isTrue();
                            inside.decrementAndGet();
                        } catch (LockTimeoutException tooLate) {
                            // as it may be
                        }
                    }
                    return "";
                }));
            }
            for (Background<Object> thread : threads) {
                thread.result();
            }
            assertThat(locks.tryAcquire(NAME)).isPresent();
        }
    }

    private Optional<Lease> acquireWithin(Duration wait) {
        try {
            return Optional.of(bench.locks.acquire(NAME, OPTIONS.withMaxWait(wait)));
        } catch (LockTimeoutException | InterruptedException e) {
            return Optional.empty();
        }
    }

    private void assertNobodyHasTheTurn(int round) {
        Optional<Lease> lease = bench.locks.tryAcquire(NAME);
        assertThat(lease).as("round %d", round).isPresent();
        lease.orElseThrow().close();
    }
}
