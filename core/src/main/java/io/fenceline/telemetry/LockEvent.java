package io.fenceline.telemetry;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LossReason;
import io.fenceline.ReleaseOutcome;
import java.time.Duration;

/** Something that happened to a lock or a lease. */
public sealed interface LockEvent {

    /**
     * The lock that it happened to.
     *
     * @return the key as it is, not hidden
     */
    LockKey key();

    /** An event in the life of one lease. */
    sealed interface OfLease extends LockEvent {

        /**
         * The lease that it happened to.
         *
         * @return its key and token
         */
        FenceStamp stamp();

        @Override
        default LockKey key() {
            return stamp().key();
        }
    }

    /**
     * A lease was granted.
     *
     * @param stamp its key and token
     * @param holder who holds it
     * @param waited from the call to the grant
     * @param attempts how often the backend was asked
     */
    record Acquired(FenceStamp stamp, Holder holder, Duration waited, int attempts) implements OfLease {}

    /**
     * A wait ended without the lock.
     *
     * @param key the lock
     * @param waited from the call to the end
     * @param attempts how often the backend was asked; 0 if other threads of this process were in front all the time
     */
    record NotAcquired(LockKey key, Duration waited, int attempts) implements LockEvent {}

    /**
     * The end of a lease was moved.
     *
     * @param stamp its key and token
     * @param ttl how long it runs from now
     */
    record Extended(FenceStamp stamp, Duration ttl) implements OfLease {}

    /**
     * A renewal failed; it is tried again until the deadline.
     *
     * @param stamp the lease's key and token
     * @param error what the backend said
     * @param remaining the time to the deadline
     */
    record RenewalFailed(FenceStamp stamp, BackendException error, Duration remaining) implements OfLease {}

    /**
     * A lease was released.
     *
     * @param stamp its key and token
     * @param outcome what the release found
     */
    record Released(FenceStamp stamp, ReleaseOutcome outcome) implements OfLease {}

    /**
     * A lease was lost while it was held.
     *
     * @param stamp its key and token
     * @param reason how it was noticed
     */
    record Lost(FenceStamp stamp, LossReason reason) implements OfLease {}

    /**
     * A token above {@link io.fenceline.FencingToken#WARNING_VALUE} was granted.
     *
     * @param stamp the lease's key and token
     */
    record TokenNearLimit(FenceStamp stamp) implements OfLease {}
}
