package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L3: a lease is renewed at a third of its ttl, one renewal at a time, retried until the deadline and never after release. */
class RenewalTest {

    private static final Duration THIRD = TTL.dividedBy(3);
    private static final Duration FULL = TTL.minus(MARGIN);

    private final Bench bench = Bench.polling();

    @Test
    void comesAtAThirdOfTheTtl() {
        Lease lease = bench.acquire();
        assertThat(bench.locks.runDueSteps()).isEqualTo(THIRD);

        bench.pass(THIRD.minusNanos(1));
        assertThat(bench.asked(BackendOperation.EXTEND)).isZero();

        bench.pass(Duration.ofNanos(1));
        assertThat(bench.asked(BackendOperation.EXTEND)).isOne();
        assertThat(lease.remaining()).isEqualTo(FULL);
        assertThat(bench.locks.runDueSteps()).isEqualTo(THIRD);
        assertThat(bench.heard).contains(new LockEvent.Extended(lease.stamp(), TTL));
    }

    @Test
    void holdsALeaseForADay() {
        Lease lease = bench.acquire();
        long renewals = Duration.ofDays(1).dividedBy(THIRD);

        for (long i = 0; i < renewals; i++) {
            bench.pass(THIRD);
        }

        assertThat(lease.isHeld()).isTrue();
        assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(renewals);
        assertThat(bench.remainingInStore()).isEqualTo(TTL);
    }

    @Test
    void isDueAtOnceIfTheWatchComesLate() {
        Lease lease = bench.acquire();

        bench.pass(FULL.minusNanos(1));

        assertThat(lease.remaining()).isEqualTo(FULL);
    }

    @Test
    void comesBeforeTheDeadlineThoughTheMarginIsWide() {
        Lease lease = bench.acquire(OPTIONS.withSafetyMargin(TTL.minusSeconds(5)));

        for (int i = 0; i < 10; i++) {
            bench.pass(bench.locks.runDueSteps());
        }

        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void canBeSwitchedOff() {
        Lease lease = bench.acquire(OPTIONS.withoutRenewal());

        assertThat(bench.locks.runDueSteps()).isEqualTo(FULL);
        bench.pass(FULL);

        assertThat(lease.isHeld()).isFalse();
        assertThat(bench.asked(BackendOperation.EXTEND)).isZero();
    }

    @Test
    void endsWithTheRelease() {
        Lease lease = bench.acquire();
        lease.release();

        assertThat(bench.locks.runDueSteps()).isEqualTo(Locks.NOTHING_DUE);
        bench.pass(THIRD);

        assertThat(bench.asked(BackendOperation.EXTEND)).isZero();
    }

    @Test
    void endsWithAReleaseThatFails() {
        Lease lease = bench.acquire();
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());
        lease.close();

        bench.pass(THIRD);

        assertThat(bench.asked(BackendOperation.EXTEND)).isZero();
    }

    @Test
    void doesNotReviveALeaseThatIsReleasedMeanwhile() {
        Lease lease = bench.acquire();
        bench.events.before(BackendOperation.EXTEND, lease::release);

        bench.pass(THIRD);

        assertThat(bench.isFree()).isTrue();
        assertThat(bench.locks.runDueSteps()).isEqualTo(Locks.NOTHING_DUE);
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
    }

    @Test
    void thatIsRefusedLosesTheLeaseAtOnce() {
        Lease lease = bench.acquire();
        bench.stranger.forceRelease(lease.key(), Holder.of("an operator"));

        bench.pass(THIRD);

        assertThat(lease.isHeld()).isFalse();
        assertThat(bench.locks.runDueSteps()).isEqualTo(Locks.NOTHING_DUE);
        assertThat(bench.heard).contains(new LockEvent.Lost(lease.stamp(), LossReason.REFUSED_BY_BACKEND));
    }

    @Test
    void isNotStartedWhileAnotherIsUnderWay() {
        Lease lease = bench.acquire();
        bench.events.before(BackendOperation.EXTEND, () -> {
            bench.pass(Duration.ofSeconds(5));
            bench.pass(Duration.ofSeconds(5));
        });

        bench.pass(THIRD);

        assertThat(bench.asked(BackendOperation.EXTEND)).isOne();
        assertThat(lease.remaining()).isEqualTo(FULL.minusSeconds(10));
    }

    @Test
    void goesOnAfterAClockJumpDuringARenewal() {
        Lease lease = bench.acquire();
        bench.events.before(BackendOperation.EXTEND, () -> {
            bench.time.stepWallClock(Duration.ofSeconds(-20));
            bench.locks.runDueSteps();
            bench.time.stepWallClock(Duration.ofSeconds(20));
            bench.locks.runDueSteps();
        });

        bench.pass(THIRD);
        bench.pass(THIRD);

        assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(2);
        assertThat(lease.remaining()).isEqualTo(FULL);
    }

    @Nested
    class ThatFailed {

        @Test
        void isRetriedAfterGrowingPausesUpToTheDeadline() {
            Lease lease = bench.acquire();
            bench.faults.always(BackendOperation.EXTEND, Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
            bench.pass(THIRD);

            List<Long> pauses = new ArrayList<>();
            Duration sum = Duration.ZERO;
            while (lease.isHeld()) {
                Duration pause = bench.locks.runDueSteps();
                pauses.add(pause.toMillis());
                sum = sum.plus(pause);
                bench.pass(pause);
            }

            // 10 s to 28.5 s: pauses grow to 1 s, and are halved when less than 2 s are left
            assertThat(pauses)
                    .startsWith(100L, 200L, 400L, 800L, 1000L, 1000L)
                    .containsSubsequence(1000L, 1000L, 500L, 250L, 125L);
            assertThat(sum).isEqualTo(FULL.minus(THIRD));
            assertThat(bench.asked(BackendOperation.EXTEND)).isEqualTo(pauses.size());
        }

        @Test
        void isReportedWithTheTimeLeft() {
            Lease lease = bench.acquire();
            bench.faults.next(BackendOperation.EXTEND, Fault.refusal(ErrorCode.RATE_LIMITED));

            bench.pass(THIRD);

            assertThat(bench.heard)
                    .filteredOn(LockEvent.RenewalFailed.class::isInstance)
                    .singleElement()
                    .satisfies(event -> {
                        LockEvent.RenewalFailed failed = (LockEvent.RenewalFailed) event;
                        assertThat(failed.stamp()).isEqualTo(lease.stamp());
                        assertThat(failed.error().code()).isEqualTo(ErrorCode.RATE_LIMITED);
                        assertThat(failed.remaining()).isEqualTo(FULL.minus(THIRD));
                    });
        }

        @Test
        void isForgottenAfterASuccess() {
            Lease lease = bench.acquire();
            bench.faults.times(2, BackendOperation.EXTEND, Fault.lostReply());
            bench.pass(THIRD);
            bench.pass(Duration.ofMillis(100));
            bench.pass(Duration.ofMillis(200));
            assertThat(lease.remaining()).isEqualTo(FULL);

            bench.faults.next(BackendOperation.EXTEND, Fault.lostRequest());
            bench.pass(THIRD);

            assertThat(bench.locks.runDueSteps()).isEqualTo(Duration.ofMillis(100));
            lease.close();
            assertThat(lease.lost().toCompletableFuture()).isNotDone();
        }

        @Test
        void isRetriedThoughTheFailureLooksFinal() {
            Lease lease = bench.acquire();
            bench.faults.next(BackendOperation.EXTEND, Fault.refusal(ErrorCode.AUTH_FAILED));

            bench.pass(THIRD);
            bench.pass(Duration.ofMillis(100));

            assertThat(lease.remaining()).isEqualTo(FULL);
        }

        @Test
        void isRetriedThoughTheBackendBrokeItsContract() {
            Lease lease = bench.acquire();
            bench.events.before(BackendOperation.EXTEND, () -> {
                throw new IllegalStateException("the driver failed");
            });

            bench.pass(THIRD);
            bench.pass(Duration.ofMillis(100));

            assertThat(lease.remaining()).isEqualTo(FULL);
        }

        @Test
        void isRetriedThoughTheBackendFailedWithAnError() {
            Lease lease = bench.acquire();
            bench.events.before(BackendOperation.EXTEND, () -> {
                throw new NoClassDefFoundError("the driver");
            });

            bench.pass(THIRD);
            bench.pass(Duration.ofMillis(100));

            assertThat(lease.remaining()).isEqualTo(FULL);
        }
    }
}
