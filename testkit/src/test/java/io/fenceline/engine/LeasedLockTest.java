package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LeasedLock;
import io.fenceline.LossReason;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lock seen as a {@link java.util.concurrent.locks.Lock}: what that interface asks for, and the truth about lost leases. */
class LeasedLockTest {

    private final Bench bench = Bench.polling();
    private final LeasedLock lock = bench.locks.asLock(NAME, OPTIONS.withoutRenewal());

    @Test
    void holdsALeaseFromLockToUnlock() {
        assertThat(lock.lease()).isEmpty();

        lock.lock();
        Lease lease = lock.lease().orElseThrow();
        assertThat(lease.isHeld()).isTrue();
        assertThat(bench.isFree()).isFalse();

        lock.unlock();
        assertThat(lock.lease()).isEmpty();
        assertThat(lease.isHeld()).isFalse();
        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void namesItsKeyAndWhetherThisThreadHasIt() {
        assertThat(lock).hasToString("LeasedLock[key=" + NAME + "]");

        lock.lock();

        assertThat(lock).hasToString("LeasedLock[key=" + NAME + ", locked by this thread]");
    }

    @Test
    void canBeLockedAgainWithAGreaterToken() {
        lock.lock();
        Lease first = lock.lease().orElseThrow();
        lock.unlock();

        lock.lock();

        assertThat(lock.lease().orElseThrow().token().isNewerThan(first.token()))
                .isTrue();
    }

    @Test
    void isNotReentrant() throws Exception {
        lock.lock();

        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::lockInterruptibly);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));

        assertThat(lock.lease().orElseThrow().isHeld()).isTrue();
        assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
    }

    @Test
    void belongsToTheThreadThatLockedIt() throws Exception {
        lock.lock();

        Background<Boolean> other = Background.start(() -> {
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
            assertThat(lock.lease()).isEmpty();
            return lock.tryLock();
        });

        assertThat(other.result()).isFalse();
        assertThat(lock.lease().orElseThrow().isHeld()).isTrue();
    }

    @Test
    void cannotBeUnlockedIfItIsNotLocked() {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining(NAME);

        lock.lock();
        lock.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
        assertThat(bench.asked(BackendOperation.RELEASE)).isOne();
    }

    @Test
    void hasNoConditions() {
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
    }

    @Nested
    class ToTry {

        @Test
        void answersAtOnce() {
            bench.takenByStranger(TTL);

            assertThat(lock.tryLock()).isFalse();

            assertThat(lock.lease()).isEmpty();
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
        }

        @Test
        void locksAFreeLock() {
            assertThat(lock.tryLock()).isTrue();
            assertThat(lock.lease()).isPresent();
        }

        @Test
        void waitsForTheGivenTimeOnly() throws Exception {
            bench.takenByStranger(TTL);
            Background<Boolean> attempt = Background.start(() -> lock.tryLock(100, TimeUnit.MILLISECONDS));
            bench.time.awaitParked(1);
            bench.time.advance(bench.nextWake());

            assertThat(attempt.result()).isFalse();
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(2);
        }

        @Test
        void locksWithinTheGivenTime() throws Exception {
            var stranger = bench.takenByStranger(TTL);
            Background<Boolean> attempt = Background.start(() -> lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
            bench.time.awaitParked(1);
            bench.releasedByStranger(stranger);
            bench.time.advance(bench.nextWake());

            assertThat(attempt.result()).isTrue();
        }

        @Test
        void doesNotWaitForANegativeTime() throws Exception {
            bench.takenByStranger(TTL);

            assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
            assertThat(lock.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)).isFalse();
        }

        @Test
        void isEndedByAnInterrupt() {
            Thread.currentThread().interrupt();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
            assertThat(lock.lease()).isEmpty();
        }
    }

    @Nested
    class Interrupted {

        @Test
        void waitsOnInLockAndKeepsTheStatus() throws Exception {
            Lease lease = bench.acquire();
            Background<Boolean> waiter = Background.start(() -> {
                lock.lock();
                return Thread.currentThread().isInterrupted();
            });
            bench.time.awaitParked(1);

            waiter.interrupt();
            lease.close();

            assertThat(waiter.result()).isTrue();
        }

        @Test
        void keepsTheStatusThoughTheBackendFailsThen() {
            bench.faults.next(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.AUTH_FAILED));
            Thread.currentThread().interrupt();

            assertThatExceptionOfType(BackendException.class).isThrownBy(lock::lock);

            assertThat(Thread.interrupted()).isTrue();
        }

        @Test
        void givesUpInLockInterruptibly() throws Exception {
            Lease lease = bench.acquire();
            Background<Object> waiter = Background.start(() -> {
                lock.lockInterruptibly();
                return "";
            });
            bench.time.awaitParked(1);

            waiter.interrupt();

            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
            lease.close();
            assertThat(bench.isFree()).isTrue();
        }
    }

    @Nested
    class WithALostLease {

        @Test
        void saysSoWhenItIsUnlocked() {
            lock.lock();
            bench.pass(TTL.minusSeconds(1));
            assertThat(lock.lease().orElseThrow().isHeld()).isFalse();

            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(lock::unlock)
                    .satisfies(lost -> assertThat(lost.reason()).isEqualTo(LossReason.DEADLINE_PASSED));

            assertThat(bench.isFree()).isTrue();
            assertThat(lock.tryLock()).as("it is unlocked all the same").isTrue();
        }

        @Test
        void saysSoThoughOnlyTheStoreKnew() {
            lock.lock();
            bench.stranger.forceRelease(KEY, Holder.of("an operator"));

            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(lock::unlock)
                    .satisfies(lost -> assertThat(lost.reason()).isEqualTo(LossReason.REFUSED_BY_BACKEND));
        }

        @Test
        void saysNothingIfOnlyTheReleaseWasLate() throws Exception {
            bench.faults.next(BackendOperation.RELEASE, Fault.none().withDelayBefore(TTL));
            Background<String> work = Background.start(() -> {
                lock.lock();
                lock.unlock();
                return "in time";
            });
            bench.time.awaitParked(1);
            bench.time.advance(TTL);

            assertThat(work.result()).isEqualTo("in time");
        }

        @Test
        void leavesTheLeaseOfTheNextThreadAlone() throws Exception {
            lock.lock();
            bench.pass(TTL);
            Background<Lease> next = Background.start(() -> {
                lock.lock();
                return lock.lease().orElseThrow();
            });
            Lease other = next.result();

            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);

            assertThat(other.isHeld()).isTrue();
            assertThat(bench.stranger.lookup(other.grant().lockId())).isPresent();
            assertThat(lock.tryLock()).isFalse();
        }
    }

    @Test
    void saysIfTheStoreDidNotAnswerTheUnlocking() {
        lock.lock();
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::unlock);

        assertThat(lock.lease()).isEmpty();
    }

    /** Nobody has the lease after that, to release it again. The caller waits for the store once. */
    @Test
    @Tag("L4")
    void isUnlockedInTheBackgroundIfTheStoreDidNotAnswer() {
        lock.lock();
        bench.faults.next(BackendOperation.RELEASE, Fault.lostRequest());
        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::unlock);
        assertThat(bench.isFree()).isFalse();

        Duration pause = bench.locks.runDueSteps();
        assertThat(pause).isLessThan(Duration.ofSeconds(1));
        bench.time.advance(pause);
        bench.locks.runDueSteps();

        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void isNotLockedIfTheBackendFails() {
        bench.faults.next(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.AUTH_FAILED));

        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::lock);

        assertThat(lock.lease()).isEmpty();
        assertThat(lock.tryLock()).isTrue();
    }
}
