package io.fenceline;

import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} whose holding is a {@link Lease}, for code that was written for locks of one process.
 *
 * <p>As such code expects, the thread that locks is the one that unlocks. It is not re-entrant: locking it again before
 * unlocking it throws {@link IllegalMonitorStateException}, since the second grant could only come after the first ended.
 * {@link #lock()} waits without limit. All methods that lock throw {@link BackendException} if the backend fails for good;
 * the waiting ones retry transient failures.
 */
public interface LeasedLock extends Lock {

    /**
     * Returns the calling thread's lease, for its token.
     *
     * @return the lease from lock to unlock, also after it was lost; empty otherwise
     */
    Optional<Lease> lease();

    /**
     * Releases the lease.
     *
     * @throws IllegalMonitorStateException if the calling thread has not locked it
     * @throws LeaseLostException if the lease was lost before; the work done under it may have overlapped with another's
     * @throws BackendException if the store did not answer; the lock stays taken there to the end of its ttl at most
     */
    @Override
    void unlock();

    /**
     * Not supported: waiting for a condition would have to release the lock and mint a new token.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }
}
