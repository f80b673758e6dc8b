package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.LocksBuilder;
import io.fenceline.ReleaseOutcome;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** L6 where the backend can end a lease and grant the next in one request. */
class SuccessionTest {

    private static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofHours(1));
    private static final Duration SOME_TIME = Duration.ofSeconds(3);
    private static final Duration TURN = LocksBuilder.LONGEST_TURN;

    private final Bench bench = Bench.signalling();

    /** Locks that ask the store for each grant. */
    private final Locks asking =
            bench.builder().withoutCohorts().withoutThread().build();

    private Background<Lease> waiter(LockOptions options) throws Exception {
        Background<Lease> waiter = Background.start(() -> bench.locks.acquire(NAME, options));
        bench.time.awaitParked(1);
        return waiter;
    }

    @Test
    void costsOneRequestForEachGrantHoweverManyWait() throws Exception {
        Lease lease = asking.acquire(NAME);
        List<Background<Void>> line = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            line.add(Background.start(() -> {
                asking.acquire(NAME, PATIENT).close();
                return null;
            }));
        }
        bench.time.awaitParked(20);

        lease.close();
        for (Background<Void> waiter : line) {
            waiter.result();
        }

        assertThat(bench.asked(BackendOperation.SUCCEED)).isEqualTo(20);
        assertThat(bench.asked(BackendOperation.RELEASE)).as("of the last one").isOne();
        assertThat(bench.asked(BackendOperation.ACQUIRE)).as("of the first one").isOne();
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void countsTheTimeFromWhenTheOneInFrontAsked() throws Exception {
        Lease lease = bench.acquire();
        Background<Lease> waiter = waiter(PATIENT);
        bench.events.after(BackendOperation.SUCCEED, () -> bench.time.advance(SOME_TIME));

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(waiter.result().remaining()).isEqualTo(TTL.minus(MARGIN).minus(SOME_TIME));
    }

    @Test
    void tellsTheOneInFrontThatItsLeaseWasOver() throws Exception {
        Lease lease = bench.acquire();
        Background<Lease> waiter = waiter(PATIENT);
        bench.events.before(BackendOperation.SUCCEED, () -> bench.time.advance(TTL));

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_ENDED);

        assertThat(waiter.result().token()).isGreaterThan(lease.token());
    }

    @Nested
    class AfterAFailure {

        @Test
        void ofWhichTheReplyWasLostTheNextAsksAndGetsTheSameGrant() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.faults.next(BackendOperation.SUCCEED, Fault.lostReply());
            bench.events.after(BackendOperation.ACQUIRE, () -> bench.time.advance(SOME_TIME));

            assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);

            Lease next = waiter.result();
            assertThat(next.token().value()).isEqualTo(lease.token().value() + 1);
            assertThat(next.remaining())
                    .as("counted from the request whose reply was lost")
                    .isEqualTo(TTL.minus(MARGIN).minus(SOME_TIME));
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(2);
        }

        @Test
        void isNotForgottenWhenTheNextIsRefused() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.faults.next(BackendOperation.SUCCEED, Fault.lostRequest());
            bench.events.onFailure(BackendOperation.SUCCEED, () -> bench.time.advance(SOME_TIME));

            assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);
            bench.time.awaitParked(1);
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

            assertThat(waiter.result().remaining())
                    .as("counted from the request that may still be under way")
                    .isEqualTo(TTL.minus(MARGIN).minus(SOME_TIME));
        }

        /** The copy that was interrupted may still be executed, so the refusal of the other proves nothing. */
        @Test
        void isNotForgottenWhenARepetitionIsRefused() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.faults.next(
                    BackendOperation.SUCCEED,
                    new Fault(Duration.ZERO, Fault.Loss.REQUEST, Duration.ZERO, ErrorCode.ABORTED, Effect.UNKNOWN));
            bench.events.onFailure(BackendOperation.SUCCEED, () -> {
                bench.time.advance(TTL);
                bench.takenByStranger(TTL);
                Thread.currentThread().interrupt();
            });

            lease.release();
            assertThat(Thread.interrupted()).isTrue();
            waiter.interrupt();

            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
            assertThat(bench.asked(BackendOperation.RELEASE))
                    .as("of the waiter's id")
                    .isOne();
        }

        @Test
        void withoutEffectTheLeaseIsReleasedAndTheNextAsksForItself() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.faults.next(BackendOperation.SUCCEED, Fault.refusal(ErrorCode.RATE_LIMITED));

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

            assertThat(waiter.result().token()).isGreaterThan(lease.token());
            assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
        }

        @Test
        void withoutEffectTheOneInFrontIsToldThatItsLeaseWasOver() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.faults.next(BackendOperation.SUCCEED, Fault.refusal(ErrorCode.RATE_LIMITED));
            bench.events.before(BackendOperation.RELEASE, () -> bench.time.advance(TTL));

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_ENDED);

            assertThat(waiter.result().token()).isGreaterThan(lease.token());
        }

        /** A copy of a request may arrive although another copy was refused. */
        @Test
        void withoutEffectAGrantToTheNextCountsFromTheRequestAllTheSame() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.faults.next(BackendOperation.SUCCEED, Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
            bench.events.onFailure(BackendOperation.SUCCEED, () -> bench.time.advance(SOME_TIME));

            lease.release();

            assertThat(waiter.result().remaining()).isEqualTo(TTL.minus(MARGIN).minus(SOME_TIME));
        }

        @Test
        void ofTheReleaseAsWellTheOneInFrontIsToldAndMayRepeatIt() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.faults.next(BackendOperation.SUCCEED, Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
            bench.faults.next(BackendOperation.RELEASE, Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));

            assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);
            bench.time.awaitParked(1);
            assertThat(bench.isFree()).isFalse();
            assertThat(lease.release()).as("repeated").isEqualTo(ReleaseOutcome.RELEASED);

            assertThat(waiter.result().token()).isGreaterThan(lease.token());
        }
    }

    @Nested
    class ToOneThatGivesUpMeanwhile {

        @Test
        void isUndoneIfItWasInterrupted() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.events.after(BackendOperation.SUCCEED, () -> {
                waiter.interrupt();
                assertThat(failureOf(waiter)).isInstanceOf(InterruptedException.class);
            });

            lease.close();

            assertThat(bench.isFree()).isTrue();
            assertThat(bench.locks.tryAcquire(NAME)).isPresent();
        }

        @Test
        void isUndoneIfItWasInterruptedAndTheReplyWasLost() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(PATIENT);
            bench.faults.next(BackendOperation.SUCCEED, Fault.lostReply());
            bench.events.before(BackendOperation.SUCCEED, () -> {
                waiter.interrupt();
                assertThat(failureOf(waiter)).isInstanceOf(InterruptedException.class);
            });

            assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);

            assertThat(bench.isFree()).isTrue();
            assertThat(bench.locks.tryAcquire(NAME)).isPresent();
        }

        @Test
        void isUndoneIfItsWaitWasOver() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> waiter = waiter(OPTIONS.withMaxWait(SOME_TIME));
            bench.events.after(BackendOperation.SUCCEED, () -> {
                bench.time.advance(SOME_TIME);
                assertThat(failureOf(waiter)).isInstanceOf(LockTimeoutException.class);
            });

            lease.close();

            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void isUndoneAndTheNextBehindItAsks() throws Exception {
            Lease lease = bench.acquire();
            Background<Lease> first = waiter(PATIENT);
            Background<Lease> second = Background.start(() -> bench.locks.acquire(NAME, PATIENT));
            bench.time.awaitParked(2);
            bench.events.after(BackendOperation.SUCCEED, () -> {
                first.interrupt();
                failureOf(first);
            });

            lease.close();

            assertThat(second.result().isHeld()).isTrue();
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(2);
        }

        private Throwable failureOf(Background<Lease> waiter) {
            try {
                return waiter.failure();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    @Nested
    class LetsOthersHaveTheLock {

        private final Locks others = bench.builder().withoutThread().build();

        @Test
        void afterTenMilliseconds() throws Exception {
            Lease lease = asking.acquire(NAME);
            Background<Lease> ours = Background.start(() -> asking.acquire(NAME, PATIENT));
            bench.time.awaitParked(1);
            Background<Lease> theirs = Background.start(() -> others.acquire(NAME, PATIENT));
            bench.time.awaitParked(2);

            bench.time.advance(TURN.minusNanos(1));
            lease.close();
            Lease second = ours.result();
            Background<Lease> third = Background.start(() -> asking.acquire(NAME, PATIENT));
            bench.time.awaitParked(2);
            bench.time.advance(Duration.ofNanos(1));
            second.close();

            Lease foreign = theirs.result();
            assertThat(foreign.token().value()).isEqualTo(second.token().value() + 1);
            foreign.close();
            assertThat(third.result().token()).isGreaterThan(foreign.token());
        }

        @Test
        void butNotIfNobodyElseWaits() throws Exception {
            Lease lease = asking.acquire(NAME);
            for (int i = 0; i < 5; i++) {
                Background<Lease> next = Background.start(() -> asking.acquire(NAME, PATIENT));
                bench.time.awaitParked(1);
                bench.time.advance(TURN);
                lease.close();
                lease = next.result();
            }

            assertThat(bench.asked(BackendOperation.SUCCEED)).isEqualTo(5);
            assertThat(bench.stranger.lookup(KEY)).isPresent();
        }
    }
}
