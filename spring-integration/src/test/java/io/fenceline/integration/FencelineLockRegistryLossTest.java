package io.fenceline.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LeaseLostException;
import io.fenceline.LockKey;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.Fault;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Leases that are lost, and a store that does not answer, as a lock of the registry tells them. */
class FencelineLockRegistryLossTest extends LockRegistryCase {

    /** What LockRegistryLeaderInitiator relies on. */
    @Test
    void tryLockGivesALostLeaseUpAndThenLocksAnew() throws Exception {
        lock.lock();
        loseIt();

        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isFalse();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        loseIt();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThat(isLocked()).isFalse();
    }

    /** LockRegistryLeaderInitiator leads until it has the answer, and must be the only one until then. */
    @Test
    void tryLockLeavesALostLeaseToItsEndInTheStore() {
        faults.always(BackendOperation.EXTEND, Fault.lostRequest());
        lock.lock();
        pass(TTL.minusMillis(1));

        assertThat(lock.tryLock()).isFalse();
        assertThat(isLocked()).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(isLocked()).isFalse();
    }

    @Test
    void unlockReleasesALeaseWhoseDeadlineHasPassed() {
        faults.always(BackendOperation.EXTEND, Fault.lostRequest());
        lock.lock();
        pass(TTL.minusMillis(1));

        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
        assertThat(isLocked()).isFalse();
    }

    @Test
    void lockTellsThatTheLeaseIsLost() {
        lock.lock();
        loseIt();

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lockInterruptibly);
        assertThatIllegalStateException().isThrownBy(() -> registry.renewLock(KEY));
        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
    }

    @Test
    void theLastUnlockTellsThatTheLeaseWasLost() {
        lock.lock();
        lock.lock();
        loseIt();
        otherNode.obtain(KEY).lock();

        lock.unlock();
        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining(KEY);

        assertThat(isLocked()).as("the next holder's lock").isTrue();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    /** Nothing has told us before. */
    @Test
    void unlockTellsThatTheStoreHasTheLeaseNoMore() {
        lock.lock();
        store.forceRelease(LockKey.of(KEY), Holder.of("an operator"));

        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
    }

    /** Nobody has the lease after that, to release it again. */
    @Test
    void unlockThatTheStoreDoesNotAnswerIsRepeatedInTheBackground() {
        lock.lock();
        faults.next(BackendOperation.RELEASE, Fault.lostRequest());

        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::unlock);
        assertThat(isLocked()).isTrue();
        pass(Duration.ofSeconds(1));

        assertThat(isLocked()).isFalse();
    }

    @Test
    void aFailureOfTheStoreIsThrown() {
        faults.always(BackendOperation.ACQUIRE, Fault.refusal(ErrorCode.AUTH_FAILED));

        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
        assertThat(registry.lease(KEY)).isEmpty();
    }

    private void loseIt() {
        store.forceRelease(LockKey.of(KEY), Holder.of("an operator"));
        pass(TTL.dividedBy(3));
    }
}
