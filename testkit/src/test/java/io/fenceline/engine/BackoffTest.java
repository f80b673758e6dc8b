package io.fenceline.engine;

import static io.fenceline.RetryPolicy.Backoff.EXPONENTIAL;
import static io.fenceline.RetryPolicy.Backoff.FIXED;
import static io.fenceline.RetryPolicy.Jitter.EQUAL;
import static io.fenceline.RetryPolicy.Jitter.FULL;
import static io.fenceline.RetryPolicy.Jitter.NONE;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.RetryPolicy;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** L7, where nobody wakes a waiter: its pauses are those of its {@link RetryPolicy}, but none goes on past the lease in its way. */
class BackoffTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final RetryPolicy POLICY =
            new RetryPolicy(Duration.ofMillis(100), Duration.ofSeconds(1), EXPONENTIAL, NONE);

    private final Bench bench = Bench.polling();

    @Test
    void doublesUpToTheLongestPause() throws Exception {
        assertThat(pauses(POLICY, 0.5, 7)).containsExactly(100.0, 200.0, 400.0, 800.0, 1000.0, 1000.0, 1000.0);
    }

    @Test
    void staysIfItIsFixed() throws Exception {
        assertThat(pauses(POLICY.withBackoff(FIXED), 0.5, 3)).containsExactly(100.0, 100.0, 100.0);
    }

    @Test
    void isHalfRandomWithEqualJitter() throws Exception {
        assertThat(pauses(POLICY.withJitter(EQUAL), 0.25, 3)).containsExactly(62.5, 125.0, 250.0);
    }

    @Test
    void isAtLeastHalfWithEqualJitter() throws Exception {
        assertThat(pauses(POLICY.withJitter(EQUAL), 0, 3)).containsExactly(50.0, 100.0, 200.0);
    }

    @Test
    void isAllRandomWithFullJitter() throws Exception {
        assertThat(pauses(POLICY.withJitter(FULL), 0.25, 5)).containsExactly(25.0, 50.0, 100.0, 200.0, 250.0);
    }

    /** Or a chance of zero would make a busy loop. */
    @Test
    void isAtLeastAMillisecond() throws Exception {
        assertThat(pauses(POLICY.withJitter(FULL), 0, 3)).containsExactly(1.0, 1.0, 1.0);
    }

    @Test
    void isTheDefault() {
        assertThat(LockOptions.defaults().retry()).isEqualTo(POLICY.withJitter(EQUAL));
    }

    @Test
    void endsWithTheLeaseInItsWay() throws Exception {
        bench.takenByStranger(Duration.ofMillis(70));

        assertThat(nextPauses(POLICY, 0, 1)).containsExactly(70.0);
    }

    @Test
    void endsALittleAfterTheLeaseInItsWaySoThatNotAllAskAtOnce() throws Exception {
        bench.takenByStranger(Duration.ofMillis(70));

        assertThat(nextPauses(POLICY, 0.5, 1)).containsExactly(70 + 100 * 0.5 / 4);
    }

    /** The store says that no lease runs, and refuses: somebody is just being granted one, and that takes long. */
    @Test
    void growsWhileTheLockIsFreeAndSomebodyIsAtIt() throws Exception {
        Locks locks = Locks.builder(new ForwardingLockBackend(bench.stranger) {
                    @Override
                    public Acquisition acquire(AcquireRequest request) {
                        return new Acquisition.Contended(Duration.ZERO, Optional.empty());
                    }

                    @Override
                    public <T> Optional<T> ability(Class<T> type) {
                        return Optional.empty();
                    }
                })
                .time(bench.time.source())
                .random(() -> 0)
                .withoutThread()
                .build();

        assertThat(nextPauses(locks, POLICY, 7)).containsExactly(1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0);
    }

    private List<Double> pauses(RetryPolicy policy, double chance, int count) throws Exception {
        bench.takenByStranger(LONG);
        return nextPauses(policy, chance, count);
    }

    /** The pauses of a waiter in milliseconds. */
    private List<Double> nextPauses(RetryPolicy policy, double chance, int count) throws Exception {
        return nextPauses(bench.builder().withoutThread().random(() -> chance).build(), policy, count);
    }

    private List<Double> nextPauses(Locks locks, RetryPolicy policy, int count) throws Exception {
        LockOptions options = OPTIONS.withMaxWait(LONG).withRetry(policy);
        Background<Lease> waiter = Background.start(() -> locks.acquire(NAME, options));
        List<Double> pauses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            bench.time.awaitParked(1);
            pauses.add(bench.nextWake().toNanos() / 1e6);
            if (i < count - 1) {
                bench.time.advance(bench.nextWake());
            }
        }
        waiter.interrupt();
        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        return pauses;
    }
}
