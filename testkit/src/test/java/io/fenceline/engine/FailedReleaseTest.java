package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.ReleaseErrorHandler;
import io.fenceline.ReleaseOutcome;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** L4: a release that fails is thrown by {@code release}, handled once by {@code close}, and repeated in the background. */
class FailedReleaseTest {

    private record Failure(FenceStamp stamp, RuntimeException error) {}

    private final Bench bench = Bench.polling();
    private final List<Failure> failures = new ArrayList<>();

    private final Locks locks = lossyLocks();
    private final Lease lease = locks.tryAcquire(NAME).orElseThrow();

    @Test
    void throwsAndCanBeRepeated() {
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);
        assertThat(lease.isHeld()).isFalse();
        assertThat(bench.isFree()).isFalse();

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(bench.isFree()).isTrue();
        lease.close();
        assertThat(failures).isEmpty();
    }

    @Test
    void findsTheLeaseEndedIfOnlyTheReplyWasLost() {
        bench.faults.next(BackendOperation.RELEASE, Fault.lostReply());
        assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.ALREADY_ENDED);
    }

    @Test
    void isNotHandledIfItIsThrown() {
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);

        assertThat(failures).isEmpty();
    }

    @Test
    void isHandledOnceByClose() {
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        lease.close();
        lease.close();

        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.stamp()).isEqualTo(lease.stamp());
            assertThat(failure.error()).isInstanceOf(BackendException.class).hasMessageContaining("NETWORK_TIMEOUT");
        });
        assertThat(bench.isFree()).as("the second close tried again").isTrue();
    }

    @Test
    void isRepeatedInTheBackgroundAfterClose() {
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        lease.close();

        Duration passed = Duration.ZERO;
        for (int retries = 0; retries < 2; retries++) {
            assertThat(bench.isFree()).isFalse();
            Duration next = locks.runDueSteps();
            bench.time.advance(next);
            passed = passed.plus(next);
            locks.runDueSteps();
        }
        assertThat(bench.isFree()).isTrue();
        assertThat(passed).isLessThan(Duration.ofSeconds(2));
        assertThat(locks.runDueSteps()).isEqualTo(Locks.NOTHING_DUE);
        assertThat(failures).hasSize(1);
    }

    @Test
    void isRepeatedInTheBackgroundAfterARun() throws InterruptedException {
        lease.close();
        locks.run(NAME, OPTIONS.withMinHold(Duration.ofSeconds(3)), ours -> {
            bench.faults.next(BackendOperation.RELEASE_AFTER, Fault.lostRequest());
            bench.time.advance(Duration.ofSeconds(1));
        });

        bench.time.advance(locks.runDueSteps());
        locks.runDueSteps();

        assertThat(bench.remainingInStore()).as("the rest of the minimum hold").isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void isNotRepeatedAfterTheLeaseHasEnded() {
        bench.time.advance(TTL);
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        lease.close();

        assertThat(locks.runDueSteps()).isEqualTo(Locks.NOTHING_DUE);
    }

    @Test
    void isNotRepeatedIfItFailsForGood() {
        bench.events.before(BackendOperation.RELEASE, () -> {
            throw new BackendException(ErrorCode.AUTH_FAILED, io.fenceline.Effect.NONE, "wrong password", null);
        });

        lease.close();

        assertThat(locks.runDueSteps()).isEqualTo(Locks.NOTHING_DUE);
        assertThat(bench.isFree()).isFalse();
    }

    @Test
    void isHandledAndRepeatedByCloseWhateverTheBackendThrows() {
        bench.events.before(BackendOperation.RELEASE, () -> {
            throw new IllegalStateException("the driver failed");
        });

        lease.close();

        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure.error()).hasMessage("the driver failed"));

        Duration next = locks.runDueSteps();
        assertThat(next).isLessThan(Duration.ofSeconds(1));
        bench.time.advance(next);
        locks.runDueSteps();
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void soAreExceptionsThatNothingDeclares() {
        bench.events.before(BackendOperation.RELEASE, () -> Undeclared.thrown(new IOException("from Kotlin")));

        lease.close();

        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure.error()).hasRootCauseMessage("from Kotlin"));
    }

    /** As a handler does whose logging library is missing. */
    @Test
    void isRepeatedByCloseThoughTheHandlerThrows() {
        Locks fragile = lossyLocks((stamp, error) -> {
            throw new NoClassDefFoundError("the handler failed");
        });
        Lease other = fragile.tryAcquire("another key").orElseThrow();
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatNoException().isThrownBy(other::close);

        bench.time.advance(Duration.ofSeconds(1));
        fragile.runDueSteps();
        assertThat(fragile.tryAcquire("another key")).isPresent();
    }

    @Test
    void doesNotLetCloseThrowWithoutAHandler() {
        Lease other = bench.locks.tryAcquire("another key").orElseThrow();
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatNoException().isThrownBy(other::close);
    }

    @Test
    void letsTheNextThreadOfThisProcessAsk() {
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());
        lease.close();

        bench.time.advance(TTL);

        assertThat(locks.tryAcquire(NAME)).isPresent();
    }

    private Locks lossyLocks() {
        return lossyLocks((stamp, error) -> failures.add(new Failure(stamp, error)));
    }

    private Locks lossyLocks(ReleaseErrorHandler handler) {
        return bench.builder().withoutThread().onReleaseError(handler).build();
    }

    /** Who works without the lock must learn of it soon. */
    @Nested
    @Timeout(60)
    class OfALostLeaseToAStoreThatHangs {

        private final CountDownLatch answer = new CountDownLatch(1);
        private final LockBackend hanging = new ForwardingLockBackend(bench.stranger) {
            @Override
            public boolean release(LockKey key, LockId lockId) {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new BackendException(ErrorCode.ABORTED, Effect.UNKNOWN, "interrupted", e);
                }
                return super.release(key, lockId);
            }

            @Override
            public <T> Optional<T> ability(Class<T> type) {
                return Optional.empty();
            }
        };
        private final Locks others =
                Locks.builder(hanging).time(bench.time.source()).build();

        @AfterEach
        void letItAnswer() {
            answer.countDown();
            others.close();
        }

        @Test
        void doesNotKeepTheCaller() throws Exception {
            LockOptions unrenewed = OPTIONS.withoutRenewal();
            Background<Boolean> call = Background.start(() -> others.call("other", unrenewed, lost -> {
                bench.time.advance(TTL);
                return lost.isHeld();
            }));
            bench.time.awaitParked(2); // the watch, and the caller behind the release
            bench.time.advance(Duration.ofMillis(500));

            assertThat(call.failure()).isInstanceOf(LeaseLostException.class);
        }
    }
}
