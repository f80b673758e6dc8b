package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.ReleaseErrorHandler;
import io.fenceline.ReleaseOutcome;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L4: {@code close} is idempotent and never throws; {@code release} reports what it found; neither frees a stranger's lock. */
class ReleaseTest {

    private static final LockOptions UNRENEWED = OPTIONS.withoutRenewal();

    private record Failure(FenceStamp stamp, RuntimeException error) {}

    private final Bench bench = Bench.polling();
    private final List<Failure> failures = new ArrayList<>();

    @Test
    void freesTheLock() {
        Lease lease = bench.acquire();

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(lease.isHeld()).isFalse();
        assertThat(bench.isFree()).isTrue();
        assertThat(bench.heard)
                .contains(new LockEvent.Released(lease.stamp(), ReleaseOutcome.RELEASED, Duration.ZERO, false));
    }

    @Test
    void asksTheBackendOnceHoweverOftenItIsCalled() {
        Lease lease = bench.acquire();

        lease.close();
        lease.close();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);

        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    @Test
    void happensAtTheEndOfTheScopeThoughItThrows() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> {
                    try (Lease lease = bench.acquire()) {
                        throw new IllegalArgumentException("with token " + lease.token());
                    }
                })
                .satisfies(e -> assertThat(e.getSuppressed()).isEmpty());

        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void letsTheNextOneInWithAGreaterToken() {
        Lease first = bench.acquire();
        first.close();

        Lease second = bench.acquire();

        assertThat(second.token().isNewerThan(first.token())).isTrue();
    }

    @Test
    void endsTheHoldingFromTheCallOn() {
        Lease lease = bench.acquire();
        bench.events.before(
                BackendOperation.RELEASE, () -> assertThat(lease.isHeld()).isFalse());

        lease.release();

        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    @Test
    void isRequestedFromTheBackendThoughTheThreadIsInterrupted() {
        Locks locks = lossyLocks();
        Lease lease = locks.tryAcquire(NAME).orElseThrow();
        bench.events.before(BackendOperation.RELEASE, ReleaseTest::failIfInterrupted);

        Thread.currentThread().interrupt();
        lease.close();

        assertThat(Thread.interrupted()).as("interrupt status kept").isTrue();
        assertThat(failures).isEmpty();
        assertThat(bench.isFree()).isTrue();
    }

    /** As drivers do that wait for an answer. */
    private static void failIfInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new BackendException(
                    ErrorCode.ABORTED, io.fenceline.Effect.UNKNOWN, "interrupted while waiting for the answer", null);
        }
    }

    @Nested
    class OfALeaseThatHasEnded {

        @Test
        void saysSo() {
            Lease lease = bench.acquire(UNRENEWED);
            bench.time.advance(TTL);

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_ENDED);
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
        }

        @Test
        void freesTheRestOfItsTimeInTheStore() {
            Lease lease = bench.acquire(UNRENEWED);
            bench.pass(TTL.minusSeconds(1));
            assertThat(lease.isHeld()).isFalse();

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void doesNotFreeAStrangersLock() {
            Lease lease = bench.acquire(UNRENEWED);
            bench.pass(TTL);
            Grant stranger = bench.takenByStranger(TTL);

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_ENDED);
            lease.close();

            assertThat(bench.stranger.lookup(stranger.lockId())).isPresent();
        }

        @Test
        void doesNotFreeTheLockOfAnotherThreadOfThisProcess() {
            Lease first = bench.acquire(UNRENEWED);
            bench.pass(TTL);
            Lease second = bench.acquire();

            first.close();

            assertThat(second.isHeld()).isTrue();
            assertThat(bench.remainingInStore()).isEqualTo(TTL);
            assertThat(bench.locks.tryAcquire(NAME))
                    .as("the turn is still the second one's")
                    .isEmpty();
        }

        @Test
        void saysSoAfterAReleaseByForce() {
            Lease lease = bench.acquire();
            bench.stranger.forceRelease(KEY, Holder.of("an operator"));

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_ENDED);
        }
    }

    @Nested
    class BySeveralThreads {

        @Test
        void asksTheBackendOnce() throws Exception {
            for (int round = 0; round < 200; round++) {
                Lease lease = bench.acquire();
                long asked = bench.asked(BackendOperation.RELEASE);
                CountDownLatch start = new CountDownLatch(1);
                List<Background<ReleaseOutcome>> releases = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    releases.add(Background.start(() -> {
                        start.await();
                        return lease.release();
                    }));
                }
                start.countDown();

                List<ReleaseOutcome> outcomes = new ArrayList<>();
                for (Background<ReleaseOutcome> release : releases) {
                    outcomes.add(release.result());
                }
                assertThat(outcomes)
                        .containsOnlyOnce(ReleaseOutcome.RELEASED)
                        .containsOnly(ReleaseOutcome.RELEASED, ReleaseOutcome.ALREADY_RELEASED);
                assertThat(bench.asked(BackendOperation.RELEASE) - asked).isOne();
            }
        }

        @Test
        void doesNotWaitForARenewalThatHangs() throws Exception {
            Lease lease = bench.acquire();
            CountDownLatch answer = new CountDownLatch(1);
            CountDownLatch hanging = new CountDownLatch(1);
            bench.events.before(BackendOperation.EXTEND, () -> {
                hanging.countDown();
                awaitQuietly(answer);
            });
            Background<Duration> renewal = Background.start(() -> {
                bench.time.advance(TTL.dividedBy(3));
                return bench.locks.runDueSteps();
            });
            assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

            answer.countDown();
            assertThat(renewal.result()).isEqualTo(Locks.NOTHING_DUE);
            assertThat(bench.isFree()).isTrue();
        }

        private void awaitQuietly(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Locks lossyLocks() {
        return lossyLocks((stamp, error) -> failures.add(new Failure(stamp, error)));
    }

    private Locks lossyLocks(ReleaseErrorHandler handler) {
        return bench.builder().withoutThread().onReleaseError(handler).build();
    }
}
