package io.fenceline.telemetry;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LossReason;
import io.fenceline.ReleaseOutcome;
import io.fenceline.RevocationReason;
import java.time.Duration;

/** Something that happened to a lock, a lease or a guarded resource. */
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

    /** An event of a guard. */
    sealed interface OfGuard extends LockEvent {

        /**
         * What was to be written.
         *
         * @return the resource's name as it is, not hidden
         */
        String resource();

        /**
         * What the writer presented.
         *
         * @return its key and token
         */
        FenceStamp presented();

        @Override
        default LockKey key() {
            return presented().key();
        }
    }

    /**
     * A guard refused a write or a claim with a token that was superseded.
     *
     * @param resource what was to be written
     * @param presented the writer's key and token
     * @param highest the greatest token that the resource has seen
     */
    record StaleRefused(String resource, FenceStamp presented, FencingToken highest) implements OfGuard {

        /**
         * Returns how far the writer is behind.
         *
         * @return the difference of the tokens; 0 if each grant writes once and this one had
         */
        public long gap() {
            return highest.value() - presented.token().value();
        }
    }

    /**
     * A guard refused a write or a claim under another lock than the resource's.
     *
     * @param resource what was to be written
     * @param presented the writer's key and token
     * @param owner the lock key that the resource belongs to
     */
    record ForeignRefused(String resource, FenceStamp presented, LockKey owner) implements OfGuard {}

    /**
     * A new grant is older than what its resource has seen: the store of the locks has lost tokens, for instance because it was
     * restored from an older copy.
     *
     * @param resource what was to be claimed
     * @param presented the new grant's key and token
     * @param highest the greatest token that the resource has seen
     */
    record TokenRegressed(String resource, FenceStamp presented, FencingToken highest) implements OfGuard {}

    /**
     * A candidate leads its group.
     *
     * @param stamp the group's lock key and the term
     * @param candidate its name
     */
    record Elected(FenceStamp stamp, Holder candidate) implements OfLease {}

    /**
     * A leader's term ended, and its listener was told.
     *
     * @param stamp the group's lock key and the term
     * @param candidate the leader's name
     * @param reason why it ended
     */
    record Revoked(FenceStamp stamp, Holder candidate, RevocationReason reason) implements OfLease {}
}
