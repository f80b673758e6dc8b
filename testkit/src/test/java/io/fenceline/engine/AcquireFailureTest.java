package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** L5: what {@code acquire} does while the store fails, stands still, or loses a reply, and what it undoes then. */
class AcquireFailureTest extends AcquireCase {

    /** Nothing is answered: an attempt is given up at its timeout, a release never returns. */
    @Nested
    @Timeout(60)
    class AStoreThatStandsStill {

        private final CountDownLatch end = new CountDownLatch(1);
        private final CountDownLatch undoing = new CountDownLatch(1);
        private final LockBackend silent = new ForwardingLockBackend(bench.stranger) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                long until = bench.time.nanos() + request.timeout().toNanos();
                try {
                    while (until - bench.time.nanos() > 0) {
                        bench.time.park(until - bench.time.nanos());
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new BackendException(ErrorCode.ABORTED, Effect.UNKNOWN, "interrupted", e);
                }
                throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "no reply", null);
            }

            @Override
            public boolean release(LockKey key, LockId lockId) {
                undoing.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new BackendException(ErrorCode.ABORTED, Effect.UNKNOWN, "interrupted", e);
                }
                return false;
            }

            @Override
            public <T> Optional<T> ability(Class<T> type) {
                return Optional.empty();
            }
        };
        private final Locks locks = Locks.builder(silent)
                .time(bench.time.source())
                .random(() -> 0.5)
                .build();
        private final long began = bench.time.nanos();

        @AfterEach
        void answer() {
            end.countDown();
            locks.close();
        }

        @Test
        @Tag("L5")
        void isWaitedForNoLongerThanTheWaitAndTheSlack() throws Exception {
            Background<Lease> waiter = Background.start(() -> locks.acquire(NAME, ONE_SECOND));

            assertReturnsWithin(ONE_SECOND.maxWait().plus(LockOptions.WAIT_SLACK), waiter);
        }

        @Test
        @Tag("L5")
        void isWaitedForNoLongerThanTheSlackByACallerThatDoesNotWait() throws Exception {
            assertReturnsWithin(LockOptions.WAIT_SLACK, Background.start(() -> locks.tryAcquire(NAME, OPTIONS)));
        }

        @Test
        @Tag("L5")
        void doesNotKeepAnInterruptedCaller() throws Exception {
            Background<Lease> waiter = Background.start(() -> locks.acquire(NAME, ONE_SECOND));
            bench.time.awaitParked(1);

            waiter.interrupt();
            assertThat(undoing.await(30, TimeUnit.SECONDS)).isTrue();
            bench.time.awaitParked(1);
            bench.time.advance(Duration.ofMillis(500));

            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        }

        @Test
        @Tag("L5")
        void doesNotKeepTheTurnFromTheNextInLine() throws Exception {
            Background<?> first = Background.start(() -> locks.tryAcquire(NAME, OPTIONS));
            bench.time.awaitParked(1);
            Background<?> second =
                    Background.start(() -> locks.acquire(NAME, OPTIONS.withMaxWait(Duration.ofHours(1))));
            bench.time.awaitParked(2);

            bench.time.advance(LockOptions.WAIT_SLACK);
            assertThat(first.failure()).isInstanceOf(BackendException.class);
            bench.time.awaitParked(1);

            second.interrupt();
            assertThat(undoing.await(30, TimeUnit.SECONDS)).isTrue();
        }

        private void assertReturnsWithin(Duration limit, Background<?> call) throws Exception {
            while (!call.isDone()) {
                bench.time
                        .untilNextWake()
                        .filter(wake -> bench.time.nanos() - began + wake.toNanos() <= limit.toNanos())
                        .ifPresent(bench.time::advance);
                Thread.yield();
            }
            assertThat(call.failure()).isInstanceOf(BackendException.class);
            assertThat(undoing.await(30, TimeUnit.SECONDS))
                    .as("undone meanwhile")
                    .isTrue();
        }
    }

    @Nested
    class AFailure {

        @ParameterizedTest
        @EnumSource(names = {"SERVICE_UNAVAILABLE", "RATE_LIMITED", "NETWORK_TIMEOUT", "ABORTED"})
        void thatMayPassIsRetriedUnderTheSameLockId(ErrorCode code) throws Exception {
            bench.faults.times(2, BackendOperation.ACQUIRE, Fault.refusal(code));
            Background<Lease> waiter = waitFor(OPTIONS);

            passToNextAttempt(100);
            passToNextAttempt(200);

            assertThat(waiter.result().token().value()).isOne();
            assertThat(lockIds()).hasSize(1);
        }

        @ParameterizedTest
        @EnumSource(names = {"AUTH_FAILED", "INTERNAL"})
        void thatStaysIsThrownAtOnce(ErrorCode code) {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.refusal(code));

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> bench.locks.acquire(NAME))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(code));

            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
            assertThat(bench.locks.tryAcquire(NAME))
                    .as("the turn was passed on")
                    .isPresent();
        }

        @Test
        void thatLastsIsThrownWhenTheWaitIsOver() throws Exception {
            bench.faults.everything(Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure()).isInstanceOfSatisfying(BackendException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
                assertThat(e.effect()).isEqualTo(Effect.NONE);
            });
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(4);
            assertThat(bench.asked(BackendOperation.RELEASE))
                    .as("nothing can have been left behind")
                    .isZero();
        }

        @Test
        void isForgottenWhenTheLockTurnsOutToBeTaken() throws Exception {
            bench.takenByStranger(Duration.ofHours(1));
            bench.faults.next(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure()).isInstanceOf(LockTimeoutException.class);
        }

        @Test
        void isThrownAtOnceToACallerThatDoesNotWait() {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.lostReply());

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> bench.locks.tryAcquire(NAME))
                    .satisfies(e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));

            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void thatBreaksTheContractIsPassedOnAndUndone() {
            bench.events.after(BackendOperation.ACQUIRE, () -> {
                throw new IllegalStateException("the driver failed");
            });

            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> bench.locks.acquire(NAME))
                    .withMessage("the driver failed");

            assertThat(bench.isFree()).isTrue();
            assertThat(bench.locks.tryAcquire(NAME))
                    .as("the turn was passed on")
                    .isPresent();
        }
    }

    @Nested
    class ALostReply {

        @Test
        void isAskedForAgainAndGivesTheSameGrant() throws Exception {
            bench.faults.times(3, BackendOperation.ACQUIRE, Fault.lostReply());
            Background<Lease> waiter = waitFor(OPTIONS);
            passToNextAttempt(100);
            passToNextAttempt(200);
            passToNextAttempt(400);
            Lease lease = waiter.result();

            assertThat(lease.token().value()).isOne();
            assertThat(bench.stranger.lastToken(KEY)).contains(lease.token());
            assertThat(lockIds()).containsExactly(lease.grant().lockId().text());
        }

        @Test
        void isUndoneIfTheWaitEndsBeforeAnAnswer() throws Exception {
            bench.faults.always(BackendOperation.ACQUIRE, Fault.lostReply());
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure()).isInstanceOf(BackendException.class);
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void isToldThoughALaterAttemptChangedNothing() throws Exception {
            bench.faults.always(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
            bench.faults.next(BackendOperation.ACQUIRE, Fault.lostReply());
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure())
                    .isInstanceOfSatisfying(BackendException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
                        assertThat(e.effect()).isEqualTo(Effect.UNKNOWN);
                    })
                    .hasMessageContaining("an earlier attempt was not answered in time")
                    .hasMessageNotContaining("NONE");
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void isToldThoughALaterAttemptIsRefusedForGood() throws Exception {
            bench.faults.always(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.AUTH_FAILED));
            bench.faults.next(BackendOperation.ACQUIRE, Fault.lostReply());
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);

            assertThat(waiter.failure()).isInstanceOfSatisfying(BackendException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.AUTH_FAILED);
                assertThat(e.effect()).isEqualTo(Effect.UNKNOWN);
            });
        }

        @Test
        void isUndoneThoughALaterAttemptWasRefused() throws Exception {
            bench.takenByStranger(Duration.ofHours(1));
            bench.faults.next(BackendOperation.ACQUIRE, Fault.lostRequest());
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure()).isInstanceOf(LockTimeoutException.class);
            assertThat(bench.asked(BackendOperation.RELEASE))
                    .as("the lost request may still arrive")
                    .isOne();
        }

        @Test
        void ofAFailureThatStaysIsUndone() {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.lostReply().withCode(ErrorCode.INTERNAL));

            assertThatExceptionOfType(BackendException.class).isThrownBy(() -> bench.locks.acquire(NAME));

            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void doesNotHideTheFailureIfItCannotBeUndone() {
            bench.faults.everything(Fault.lostReply().withCode(ErrorCode.INTERNAL));

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> bench.locks.acquire(NAME))
                    .withMessageContaining("ACQUIRE");

            bench.faults.everything(Fault.none());
            bench.time.advance(TTL);
            assertThat(bench.locks.tryAcquire(NAME)).isPresent();
        }
    }

    private Set<String> lockIds() {
        return bench.events.requests().stream()
                .map(request -> request.lockId().text())
                .collect(Collectors.toSet());
    }
}
