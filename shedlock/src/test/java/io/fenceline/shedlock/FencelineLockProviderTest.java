package io.fenceline.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockRecord;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

/** The times of locks, and failures. */
class FencelineLockProviderTest extends LockProviderBench {

    @Test
    void lockAtMostForIsTheTtl() {
        lock(provider, AT_MOST, NONE);
        assertThat(remaining()).isEqualTo(AT_MOST);

        pass(AT_MOST.dividedBy(2));
        pass(AT_MOST.dividedBy(2).minusMillis(1));
        assertThat(isLocked()).isTrue();
        pass(Duration.ofMillis(1));
        assertThat(isLocked()).isFalse();
    }

    @Test
    void theHolderIsThatOfTheLocks() {
        lock(provider, AT_MOST, NONE);

        assertThat(store.lookup(KEY).map(LockRecord::holder)).contains(HOLDER);
    }

    @Test
    void lockAtMostForCanBeZero() {
        lock(provider, NONE, NONE);

        assertThat(remaining()).isEqualTo(Duration.ofMillis(1));
    }

    /** A lock is not refused because its time is shorter than a round trip. */
    @Test
    void aBriefLockIsTakenAndLastsToItsEnd() {
        slowness = Duration.ofMillis(300);

        SimpleLock lock = lock(provider, Duration.ofMillis(99), NONE);
        assertThat(remaining()).isEqualTo(Duration.ofMillis(99));
        assertThat(lock.extend(AT_MOST, NONE)).isEmpty();
        assertThat(provider.lease()).isPresent();
        lock.unlock();
        assertThat(remaining()).isEqualTo(Duration.ofMillis(99));
        assertThat(provider.lease()).isEmpty();
    }

    @Test
    void aLockThatIsNotBriefIsFreedByItsUnlock() {
        lock(provider, Duration.ofMillis(100), NONE).unlock();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void lockAtMostForIsNotLongerThanTheLongestTtl() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock(provider, Duration.ofDays(366), NONE))
                .withMessageContaining("ttl");
    }

    @Test
    void lockAtLeastForKeepsTheLockAfterItsUnlock() {
        SimpleLock lock = lock(provider, AT_MOST, Duration.ofSeconds(60));
        pass(Duration.ofSeconds(10));

        lock.unlock();

        assertThat(remaining()).isEqualTo(Duration.ofSeconds(50));
        assertThat(provider.lock(configuration(AT_MOST, NONE))).isEmpty();
    }

    @Test
    void aNegativeLockAtLeastForIsNone() {
        lock(provider, AT_MOST, Duration.ofSeconds(-1)).unlock();
        lock(provider, AT_MOST, NONE)
                .extend(AT_MOST, Duration.ofSeconds(-1))
                .orElseThrow()
                .unlock();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void unlockFreesALockWhoseLockAtLeastForIsOver() {
        SimpleLock lock = lock(provider, AT_MOST, Duration.ofSeconds(60));
        pass(Duration.ofSeconds(60));

        lock.unlock();

        assertThat(isLocked()).isFalse();
    }

    @Test
    void anExtensionCountsFromNowAndItsLockAtLeastForTakesThePlaceOfTheFirst() {
        SimpleLock first = lock(provider, AT_MOST, Duration.ofSeconds(60));
        pass(Duration.ofSeconds(10));
        SimpleLock longer =
                first.extend(AT_MOST.multipliedBy(2), Duration.ofSeconds(100)).orElseThrow();
        assertThat(remaining()).isEqualTo(AT_MOST.multipliedBy(2));
        pass(Duration.ofSeconds(10));
        longer.unlock();
        assertThat(remaining()).isEqualTo(Duration.ofSeconds(90));
        pass(Duration.ofSeconds(90));

        SimpleLock over = lock(provider, AT_MOST, NONE)
                .extend(AT_MOST, Duration.ofSeconds(5))
                .orElseThrow();
        pass(Duration.ofSeconds(6));
        over.unlock();
        assertThat(isLocked()).isFalse();

        lock(provider, AT_MOST, Duration.ofSeconds(60))
                .extend(AT_MOST, NONE)
                .orElseThrow()
                .unlock();
        assertThat(isLocked()).isFalse();
    }

    @Test
    void anExtendedLockIsDeadAndItsLeaseIsNot() {
        SimpleLock first = lock(provider, AT_MOST, NONE);
        first.extend(AT_MOST, NONE);

        assertThatIllegalStateException().isThrownBy(first::unlock);
        assertThatIllegalStateException().isThrownBy(() -> first.extend(AT_MOST, NONE));

        assertThat(isLocked()).isTrue();
    }

    @Test
    void aLockIsUnlockedOnce() {
        SimpleLock lock = lock(provider, AT_MOST, NONE);
        lock.unlock();

        assertThatIllegalStateException().isThrownBy(lock::unlock).withMessageContaining(JOB);
        assertThatIllegalStateException().isThrownBy(() -> lock.extend(AT_MOST, NONE));
    }

    /** Nothing has told us before. */
    @Test
    void aLockThatTheStoreHasNoMoreIsNotExtended() {
        SimpleLock lock = lock(provider, AT_MOST, NONE);
        store.forceRelease(KEY, Holder.of("an operator"));

        assertThat(lock.extend(AT_MOST, NONE)).isEmpty();
    }

    @Test
    void aLockCanBeExtendedUntilASecondBeforeItsEnd() {
        SimpleLock lock = lock(provider, AT_MOST, NONE);
        pass(AT_MOST.minusMillis(1001));
        assertThat(lock.extend(AT_MOST, NONE)).isPresent();
    }

    @Test
    void aLockThatHasEndedIsNotExtendedAndItsUnlockLeavesTheNextHolderAlone() {
        SimpleLock late = lock(provider, AT_MOST, NONE);
        pass(AT_MOST);
        lock(anotherNode(), AT_MOST, NONE);

        assertThat(late.extend(AT_MOST, NONE)).isEmpty();
        late.unlock();

        assertThat(isLocked()).isTrue();
        assertThat(events).anyMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void aTakenLockIsAnEmptyAnswerAndAFailureOfTheStoreIsThrown() {
        lock(anotherNode(), AT_MOST, NONE);
        assertThat(provider.lock(configuration(AT_MOST, NONE))).isEmpty();

        faults.always(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.AUTH_FAILED));
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> provider.lock(configuration(AT_MOST, NONE)));
    }

    /** What unlock throws takes the place of the job's own outcome. */
    @Test
    void aFailedUnlockDoesNotHideTheOutcomeOfTheJob() {
        LockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
        IllegalStateException ownFailure = new IllegalStateException("the job's own");

        assertThatIllegalStateException()
                .isThrownBy(() -> executor.executeWithLock(
                        (Runnable) () -> {
                            faults.everything(Fault.lostRequest());
                            throw ownFailure;
                        },
                        configuration(AT_MOST, NONE)))
                .isSameAs(ownFailure);

        assertThat(releaseErrors).hasSize(1);
    }

    @Test
    void aFailedUnlockOfAnExtendedLockIsToldToListeners() {
        SimpleLock lock = lock(provider, AT_MOST, NONE).extend(AT_MOST, AT_MOST).orElseThrow();
        faults.everything(Fault.lostRequest());

        lock.unlock();

        assertThat(events).anyMatch(LockEvent.ReleaseFailed.class::isInstance);
    }

    @Test
    void aFailedUnlockOfAnExtendedLockIsRepeatedInTheBackground() {
        SimpleLock lock = lock(provider, AT_MOST, NONE).extend(AT_MOST, NONE).orElseThrow();
        faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        lock.unlock();
        assertThat(isLocked()).isTrue();
        pass(Duration.ofSeconds(1));

        assertThat(isLocked()).isFalse();
    }
}
