package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockOptions;
import io.fenceline.LossReason;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * L1: the deadline of a lease is counted from before the request, on a monotonic clock and on the wall clock, less a margin;
 * reading it never asks the backend.
 */
class LeaseDeadlineTest {

    private static final Duration NANO = Duration.ofNanos(1);
    private static final LockOptions UNRENEWED = OPTIONS.withoutRenewal();
    private static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofMinutes(2));

    private final Bench bench = Bench.polling();

    @Test
    void liesATwentiethOfTheTtlBeforeItsEnd() {
        assertThat(bench.acquire().remaining()).isEqualTo(TTL.minus(MARGIN));
    }

    @Test
    void liesTheMarginOfTheOptionsBeforeTheEnd() {
        Lease lease = bench.acquire(OPTIONS.withSafetyMargin(Duration.ofSeconds(7)));

        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(23));
    }

    @Test
    void liesAtTheEndWithoutAMargin() {
        assertThat(bench.acquire(OPTIONS.withSafetyMargin(Duration.ZERO)).remaining())
                .isEqualTo(TTL);
    }

    @Test
    void isReachedToTheNanosecond() {
        Lease lease = bench.acquire(UNRENEWED);

        bench.time.advance(TTL.minus(MARGIN).minus(NANO));
        assertThat(lease.remaining()).isEqualTo(NANO);
        assertThat(lease.isHeld()).isTrue();

        bench.time.advance(NANO);
        assertThat(lease.remaining()).isZero();
        assertThat(lease.isHeld()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lease::ensureHeld)
                .satisfies(lost -> assertThat(lost.reason()).isEqualTo(LossReason.DEADLINE_PASSED));
    }

    @Test
    void neverLiesBehindTheEndInTheStore() {
        Lease lease = bench.acquire();

        assertThat(lease.remaining()).isLessThan(bench.remainingInStore());
    }

    @Test
    void tellsWhetherAStepStillFits() {
        Lease lease = bench.acquire(UNRENEWED);
        bench.time.advance(Duration.ofSeconds(20));

        assertThatNoException().isThrownBy(() -> lease.ensureRemaining(Duration.ofMillis(8500)));
        assertThatIllegalStateException()
                .isThrownBy(() -> lease.ensureRemaining(Duration.ofMillis(8501)))
                .withMessageContaining(NAME)
                .withMessageContaining("8500 ms")
                .withMessageContaining("8501 ms");
        assertThatIllegalStateException().isThrownBy(() -> lease.ensureRemaining(Duration.ofSeconds(Long.MAX_VALUE)));

        bench.time.advance(TTL);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> lease.ensureRemaining(Duration.ofMillis(1)));
    }

    @Test
    void isNoLongerAheadAfterTheRelease() {
        Lease lease = bench.acquire();
        lease.release();

        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatIllegalStateException().isThrownBy(lease::ensureHeld).withMessageContaining("released");
        assertThatIllegalStateException().isThrownBy(() -> lease.ensureRemaining(Duration.ZERO));
    }

    @Test
    void isReadWithoutAskingTheBackend() {
        Lease lease = bench.acquire();
        bench.faults.everything(Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
        long asked = bench.askedAtAll();

        lease.isHeld();
        lease.remaining();
        lease.ensureHeld();
        lease.ensureRemaining(Duration.ofSeconds(1));
        lease.lost();
        assertThat(lease).asString().contains(NAME);

        assertThat(bench.askedAtAll()).isEqualTo(asked);
    }

    @Nested
    class IsCountedFromBeforeTheRequest {

        @Test
        void whenTheReplyWasSlow() {
            bench.events.after(BackendOperation.ACQUIRE, () -> bench.time.advance(Duration.ofSeconds(10)));

            assertThat(bench.acquire().remaining()).isEqualTo(Duration.ofMillis(18_500));
        }

        @Test
        void whenTheRequestWasSlow() {
            bench.events.before(BackendOperation.ACQUIRE, () -> bench.time.advance(Duration.ofSeconds(10)));

            assertThat(bench.acquire().remaining()).isEqualTo(Duration.ofMillis(18_500));
        }

        @Test
        void ofARenewal() {
            Lease lease = bench.acquire();
            bench.events.after(BackendOperation.EXTEND, () -> bench.time.advance(Duration.ofSeconds(2)));

            bench.pass(TTL.dividedBy(3));

            assertThat(bench.asked(BackendOperation.EXTEND)).isOne();
            assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(26_500));
        }

        @Test
        void ofAnExtensionByTheHolder() {
            Lease lease = bench.acquire();
            bench.events.before(BackendOperation.EXTEND, () -> bench.time.advance(Duration.ofSeconds(2)));

            lease.extend(Duration.ofMinutes(1));

            assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(55));
        }

        /** A backend answers a repeated request with the same grant, whose time has been running since the first one. */
        @Test
        void thatWasAnsweredFirstIfItWasRepeated() throws Exception {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.lostReply().withDelayAfter(Duration.ofSeconds(4)));
            Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
            bench.time.awaitParked(1);
            bench.time.advance(Duration.ofSeconds(4));
            bench.time.awaitParked(1);
            bench.time.advance(Duration.ofMillis(100));
            Lease lease = waiter.result();

            assertThat(lease.token().value()).isOne();
            assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(24_400)).isLessThan(bench.remainingInStore());
        }

        @Test
        void thatWasRefusedLastBeforeALostReply() throws Exception {
            Grant grant = bench.takenByStranger(TTL);
            Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
            bench.time.awaitParked(1);
            bench.releasedByStranger(grant);
            bench.faults.next(BackendOperation.ACQUIRE, Fault.lostReply());
            bench.time.advance(Duration.ofMillis(100));
            bench.time.awaitParked(1);
            bench.time.advance(bench.nextWake());
            Lease lease = waiter.result();

            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(3);
            // granted 200 ms ago by an attempt that was asked 100 ms after the refusal
            assertThat(lease.remaining()).isBetween(Duration.ofMillis(28_200), Duration.ofMillis(28_300));
        }

        /** A network can deliver a refused request once more, and its grant is what the next attempt gets. */
        @Test
        void thatWasRefusedLastSinceACopyOfItMayHaveBeenGranted() throws Exception {
            Grant grant = bench.takenByStranger(TTL);
            Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
            bench.time.awaitParked(1);
            bench.time.advance(Duration.ofMillis(10));
            bench.releasedByStranger(grant);
            bench.stranger.acquire(bench.events.requests().get(0));
            bench.time.advance(Duration.ofMillis(90));
            Lease lease = waiter.result();

            assertThat(lease.token().value()).isEqualTo(2);
            assertThat(lease.remaining())
                    .isEqualTo(TTL.minus(MARGIN).minusMillis(100))
                    .isLessThan(bench.remainingInStore().minus(MARGIN));
        }
    }

    @Nested
    class OnTheWallClock {

        private final Lease lease = bench.acquire(UNRENEWED);

        @Test
        void isReachedByAMachineThatSlept() {
            bench.time.suspend(TTL);

            assertThat(lease.isHeld()).isFalse();
            assertThat(lease.remaining()).isZero();
        }

        @Test
        void isReachedWithTheSleepAndTheWakingTimeTakenTogether() {
            bench.time.advance(Duration.ofSeconds(10));
            bench.time.suspend(Duration.ofSeconds(10));
            assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(8500));

            bench.time.advance(Duration.ofMillis(8500));
            assertThat(lease.isHeld()).isFalse();
        }

        @Test
        void isAnnouncedWhenTheMachineWakes() {
            bench.time.suspend(TTL);

            bench.locks.runDueSteps();

            assertThat(lease.lost().toCompletableFuture()).isCompleted();
        }

        @Test
        void isReachedIfTheClockIsSetForward() {
            bench.time.stepWallClock(Duration.ofHours(1));

            assertThat(lease.isHeld()).isFalse();
        }

        @Test
        void isNotMovedIfTheClockIsSetBack() {
            bench.time.stepWallClock(Duration.ofHours(-1));
            assertThat(lease.remaining()).isEqualTo(TTL.minus(MARGIN));

            bench.time.advance(TTL.minus(MARGIN));
            assertThat(lease.isHeld()).isFalse();
        }

        @Test
        void isMovedByAnExtensionAfterTheClockWasSetForward() {
            bench.time.stepWallClock(Duration.ofSeconds(20));
            assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(8500));

            lease.extend(TTL);

            assertThat(lease.remaining()).isEqualTo(TTL.minus(MARGIN));
        }

        @Test
        void doesNotComeBackIfTheClockDoes() {
            bench.time.stepWallClock(Duration.ofHours(1));
            assertThat(lease.isHeld()).isFalse();

            bench.time.stepWallClock(Duration.ofHours(-1));

            assertThat(lease.isHeld()).isFalse();
        }
    }
}
