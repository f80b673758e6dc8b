package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.RetryPolicy;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.NoGrant;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * L5: {@code acquire} waits within its limit exactly, with a last attempt at its end; what an attempt may have left behind is
 * undone when it is given up.
 */
class AcquireWaitTest {

    private static final LockOptions ONE_SECOND = OPTIONS.withMaxWait(Duration.ofSeconds(1))
            .withRetry(OPTIONS.retry().withBaseDelay(Duration.ofMillis(400)).withBackoff(RetryPolicy.Backoff.FIXED));
    private static final LockOptions NO_WAIT = OPTIONS.withMaxWait(Duration.ZERO);

    private final Bench bench = Bench.polling();

    /** Whether a release was asked for by an interrupted thread, for which real drivers do not wait. */
    private final AtomicBoolean interruptedRelease = new AtomicBoolean();

    @AfterEach
    void noReleaseWasInterrupted() {
        assertThat(Thread.interrupted()).as("interrupt status left behind").isFalse();
        assertThat(interruptedRelease).isFalse();
    }

    @Nested
    class TheLimit {

        @Test
        void isNotReachedIfTheLockIsFree() throws Exception {
            Lease lease = bench.locks.acquire(NAME);

            assertThat(lease.isHeld()).isTrue();
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
            assertThat(bench.heard)
                    .containsExactly(new LockEvent.Acquired(lease.stamp(), Holder.of("us"), Duration.ZERO, 1));
        }

        @Test
        void isWaitedForToTheEndAndNoLonger() throws Exception {
            bench.takenByStranger(Duration.ofHours(1));
            Background<Lease> waiter = waitFor(ONE_SECOND);

            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure()).isInstanceOf(LockTimeoutException.class);
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(4);
            assertThat(bench.heard)
                    .containsExactly(new LockEvent.NotAcquired(KEY, NoGrant.TIMED_OUT, Duration.ofSeconds(1), 4));
        }

        @Test
        void ofAThreadThatWaitsForItsOwnLockIsExplained() throws Exception {
            Background<Lease> reentrant = Background.start(() -> {
                try (Lease own = bench.locks.acquire(NAME)) {
                    assertThat(own.isHeld()).isTrue();
                    return bench.locks.acquire(NAME, ONE_SECOND);
                }
            });
            bench.time.awaitParked(1);
            bench.time.advance(ONE_SECOND.maxWait());

            assertThat(reentrant.failure())
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("this thread itself acquired it");
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void ofAThreadThatWaitsForAnotherOneIsNot() throws Exception {
            Lease other = bench.locks.acquire(NAME);
            Background<Lease> waiter = waitFor(ONE_SECOND);
            bench.time.awaitParked(1);
            bench.time.advance(ONE_SECOND.maxWait());

            assertThat(waiter.failure())
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageEndingWith("it is held by us");
            other.close();
        }

        @Test
        void comesWithALastAttempt() throws Exception {
            Grant stranger = bench.takenByStranger(Duration.ofHours(1));
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            bench.time.awaitParked(1);
            bench.time.advance(Duration.ofMillis(50));
            bench.releasedByStranger(stranger);

            bench.time.advance(Duration.ofMillis(150));

            assertThat(waiter.result().isHeld()).isTrue();
        }

        @Test
        void comesWithAnAttemptThatFindsALeaseEndedAtThatMoment() throws Exception {
            bench.takenByStranger(Duration.ofSeconds(1));
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);

            passToNextAttempt(200);

            assertThat(waiter.result().isHeld()).isTrue();
        }

        @Test
        void ofZeroMeansOneAttempt() {
            bench.takenByStranger(TTL);

            assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> bench.locks.acquire(NAME, NO_WAIT));

            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
        }

        @Test
        void ofZeroIsEnoughForAFreeLock() throws Exception {
            assertThat(bench.locks.acquire(NAME, NO_WAIT).isHeld()).isTrue();
        }

        @Test
        void mayBeLongerThanAnyLife() throws Exception {
            Grant stranger = bench.takenByStranger(TTL);
            Background<Lease> waiter = waitFor(OPTIONS.withMaxWait(Duration.ofSeconds(Long.MAX_VALUE)));
            bench.time.awaitParked(1);
            bench.releasedByStranger(stranger);

            bench.time.advance(Duration.ofMillis(100));

            assertThat(waiter.result().isHeld()).isTrue();
        }

        @Test
        void isToldWithTheKeyAndTheHolder() throws Exception {
            bench.takenByStranger(TTL);
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure())
                    .isInstanceOfSatisfying(LockTimeoutException.class, e -> {
                        assertThat(e.key()).isEqualTo(KEY);
                        assertThat(e.waited()).isEqualTo(Duration.ofSeconds(1));
                        assertThat(e.holder()).contains(Holder.of("a stranger"));
                        assertThat(e.code()).isEqualTo(ErrorCode.ACQUISITION_TIMEOUT);
                    })
                    .hasMessageContaining(NAME)
                    .hasMessageContaining("1000 ms")
                    .hasMessageContaining("a stranger");
        }

        @Test
        void doesNotBindACallerThatDoesNotWait() {
            bench.takenByStranger(TTL);

            assertThat(bench.locks.tryAcquire(NAME, ONE_SECOND)).isEmpty();

            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
            assertThat(bench.heard).containsExactly(new LockEvent.NotAcquired(KEY, NoGrant.TAKEN, Duration.ZERO, 1));
        }
    }

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
    class TheRequest {

        @Test
        void carriesTheOptionsAndTheTimeLeft() throws Exception {
            bench.takenByStranger(TTL);
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);
            waiter.failure();

            assertThat(bench.events.requests()).allSatisfy(request -> {
                assertThat(request.key()).isEqualTo(KEY);
                assertThat(request.ttl()).isEqualTo(TTL);
                assertThat(request.holder()).isEqualTo(Holder.of("us"));
                assertThat(request.tokens()).isOne();
            });
            assertThat(bench.events.requests())
                    .extracting(request -> request.maxWait().toMillis())
                    .containsExactly(1000L, 600L, 200L, 0L);
            assertThat(bench.events.requests())
                    .as("the slack, since less is left of the wait")
                    .allSatisfy(request -> assertThat(request.timeout()).isEqualTo(LockOptions.WAIT_SLACK));
        }

        @Test
        @Tag("L5")
        void isWaitedForAsLongAsTheCallerWaits() {
            bench.locks.tryAcquire(NAME, OPTIONS).orElseThrow().close();
            assertThat(bench.events.requests().get(0).timeout()).isEqualTo(LockOptions.WAIT_SLACK);

            assertThatNoException().isThrownBy(() -> bench.locks.acquire(NAME, OPTIONS));

            assertThat(bench.events.requests().get(1).timeout()).isEqualTo(OPTIONS.maxWait());
        }

        @Test
        void asksForNoPlaceInAQueueIfTheCallerDoesNotWait() {
            bench.acquire(ONE_SECOND);

            assertThat(bench.events.requests())
                    .extracting(AcquireRequest::maxWait)
                    .containsExactly(Duration.ZERO);
        }

        @Test
        void isNotSentForABadKey() {
            assertThatIllegalArgumentException().isThrownBy(() -> bench.locks.acquire(""));
            assertThatIllegalArgumentException().isThrownBy(() -> bench.locks.tryAcquire("a\0b"));
            assertThatIllegalArgumentException().isThrownBy(() -> bench.locks.acquireAsync("k".repeat(513)));

            assertThat(bench.askedAtAll()).isZero();
        }
    }

    @Nested
    class AnInterrupt {

        @Test
        void beforeTheCallIsPassedOnWithoutAnAttempt() {
            Thread.currentThread().interrupt();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> bench.locks.acquire(NAME));

            assertThat(bench.askedAtAll()).isZero();
        }

        @Test
        void duringAPauseEndsTheWait() throws Exception {
            Grant stranger = bench.takenByStranger(TTL);
            Background<Lease> waiter = waitFor(ONE_SECOND);
            bench.time.awaitParked(1);

            waiter.interrupt();

            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
            bench.releasedByStranger(stranger);
            bench.time.advance(TTL);
            assertThat(bench.isFree()).isTrue();
            assertThat(bench.locks.tryAcquire(NAME))
                    .as("the turn was passed on")
                    .isPresent();
        }

        @Test
        void duringAnAttemptUndoesIt() throws Exception {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
            watchReleases();
            Background<Lease> waiter = waitFor(OPTIONS);
            bench.time.awaitParked(1);

            waiter.interrupt();

            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void duringTheOnlyAttemptUndoesIt() throws Exception {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
            watchReleases();
            Background<Lease> waiter = waitFor(NO_WAIT);
            bench.time.awaitParked(1);

            waiter.interrupt();

            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void duringAnAttemptWithoutWaitingUndoesItAndStaysSet() throws Exception {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.none().withDelayAfter(Duration.ofSeconds(1)));
            watchReleases();
            Background<Boolean> attempt = Background.start(() -> {
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> bench.locks.tryAcquire(NAME))
                        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
                return Thread.currentThread().isInterrupted();
            });
            bench.time.awaitParked(1);

            attempt.interrupt();

            assertThat(attempt.result()).isTrue();
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void thatComesWithTheGrantUndoesIt() {
            bench.events.after(
                    BackendOperation.ACQUIRE, () -> Thread.currentThread().interrupt());
            watchReleases();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> bench.locks.acquire(NAME));

            assertThat(bench.isFree()).isTrue();
            assertThat(bench.locks.tryAcquire(NAME))
                    .as("the turn was passed on")
                    .isPresent();
        }

        @Test
        @Tag("L5")
        void thatComesWithTheGrantUndoesItAsSoonAsTheStoreAnswersAgain() {
            AtomicInteger told = new AtomicInteger();
            Locks locks = bench.builder()
                    .onReleaseError((stamp, error) -> told.incrementAndGet())
                    .withoutThread()
                    .build();
            bench.events.after(
                    BackendOperation.ACQUIRE, () -> Thread.currentThread().interrupt());
            bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());
            bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> locks.acquire(NAME));
            assertThat(bench.isFree()).isFalse();
            for (int i = 0; i < 2; i++) {
                bench.time.advance(Duration.ofSeconds(1));
                locks.runDueSteps();
            }

            assertThat(bench.isFree()).isTrue();
            assertThat(told).hasValue(1);
        }

        /** The thread did not wait for the undo, and is told nothing of a lock that it does not know of. */
        @Test
        void thatComesWithTheGrantLeavesNoLockOfThisThread() {
            Thread waiter = Thread.currentThread();
            CompletableFuture<Void> told = new CompletableFuture<>();
            bench.events.after(BackendOperation.ACQUIRE, waiter::interrupt);
            bench.events.before(BackendOperation.RELEASE, () -> {
                bench.time.awaitParked(2); // the waiter and the thread that watches leases
                waiter.interrupt();
                told.join();
            });
            try (Locks locks = bench.builder().build()) {
                assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> locks.acquire(NAME));
                assertThat(Thread.interrupted()).isTrue();

                assertThatExceptionOfType(LockTimeoutException.class)
                        .isThrownBy(() -> locks.acquire(NAME, NO_WAIT))
                        .withMessageNotContaining("this thread itself acquired it");
                told.complete(null);
            }
        }

        private void watchReleases() {
            bench.events.before(
                    BackendOperation.RELEASE,
                    () -> interruptedRelease.set(Thread.currentThread().isInterrupted()));
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

            assertThat(waiter.failure())
                    .isInstanceOfSatisfying(
                            BackendException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE));
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

    private Background<Lease> waitFor(LockOptions options) {
        return Background.start(() -> bench.locks.acquire(NAME, options));
    }

    /** Lets a waiter pause, checks for how long, and ends its pause. */
    private void passToNextAttempt(long expectedMillis) {
        bench.time.awaitParked(1);
        assertThat(bench.nextWake()).isEqualTo(Duration.ofMillis(expectedMillis));
        bench.time.advance(bench.nextWake());
    }

    private Set<String> lockIds() {
        return bench.events.requests().stream()
                .map(request -> request.lockId().text())
                .collect(Collectors.toSet());
    }
}
