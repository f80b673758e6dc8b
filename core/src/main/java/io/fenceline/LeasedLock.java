package io.fenceline;

import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} backed by leases, for code written for local locks.
 *
 * <p>As with local locks, the thread that locks must unlock. It is not reentrant: a second lock by the same thread throws {@link
 * IllegalMonitorStateException}.
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
     * Not supported: waiting on a condition would have to release the lock and get a new token.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }
}
