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
import org.jspecify.annotations.Nullable;

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
     * A thread begins to ask for a lock. On the same thread {@link Acquired} or {@link NotAcquired} follows, one of them, once.
     *
     * @param key the lock
     */
    record AcquireBegun(LockKey key) implements LockEvent {}

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
     * An attempt or a wait ended without the lock.
     *
     * @param key the lock
     * @param reason why it ended
     * @param waited from the call to the end
     * @param attempts how often the backend was asked; 0 if other threads of this process were in front all the time
     */
    record NotAcquired(LockKey key, NoGrant reason, Duration waited, int attempts) implements LockEvent {}

    /**
     * The end of a lease was moved.
     *
     * @param stamp its key and token
     * @param ttl how long it runs from now
     */
    record Extended(FenceStamp stamp, Duration ttl) implements OfLease {}

    /**
     * A lease was renewed by itself. Told after {@link Extended}.
     *
     * @param stamp its key and token
     * @param ttl how long it runs from now
     * @param late from when the renewal was due to when it was done, all failed tries included. It was due at a third of the
     *     ttl, so a lease whose renewals are late by two thirds is lost
     */
    record Renewed(FenceStamp stamp, Duration ttl, Duration late) implements OfLease {}

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
     * The backend could not be asked for a release. The lease is over for its holder; the lock stays taken to the end of its ttl,
     * unless the release is asked for again.
     *
     * @param stamp its key and token
     * @param error what the backend said
     */
    record ReleaseFailed(FenceStamp stamp, RuntimeException error) implements OfLease {}

    /**
     * Work under a lease begins: the body of {@link io.fenceline.Locks#run}, or {@code onElected} of a leader. On the same
     * thread {@link BodyEnded} follows.
     *
     * @param stamp the lease's key and token
     */
    record BodyBegun(FenceStamp stamp) implements OfLease {}

    /**
     * Work under a lease has returned or thrown.
     *
     * @param stamp the lease's key and token
     * @param error what it threw, or null
     */
    record BodyEnded(FenceStamp stamp, @Nullable Throwable error) implements OfLease {}

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
     * A guard is about to be asked. On the same thread {@link GuardAnswered} follows; a refusal is told in between.
     *
     * @param resource what is to be written or claimed
     * @param presented the writer's key and token
     * @param act which of the two
     */
    record GuardAsked(String resource, FenceStamp presented, GuardAct act) implements OfGuard {}

    /**
     * A guard has answered, and a write with its effect is over.
     *
     * @param resource what was to be written or claimed
     * @param presented the writer's key and token
     * @param act which of the two
     * @param accepted whether it was done; if not, it was refused, or the store or the write itself failed
     */
    record GuardAnswered(String resource, FenceStamp presented, GuardAct act, boolean accepted) implements OfGuard {}

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

    /** An event in an election. */
    sealed interface OfElection extends LockEvent {

        /**
         * What is led.
         *
         * @return the group's name as it is, not hidden
         */
        String group();

        /**
         * Whom it happened to.
         *
         * @return the candidate's name
         */
        Holder candidate();
    }

    /**
     * A candidate takes part in an election from now on.
     *
     * @param group what is led
     * @param key the group's lock key
     * @param candidate its name
     */
    record Joined(String group, LockKey key, Holder candidate) implements OfElection {}

    /**
     * A candidate takes part no more.
     *
     * @param group what is led
     * @param key the group's lock key
     * @param candidate its name
     */
    record Left(String group, LockKey key, Holder candidate) implements OfElection {}

    /**
     * A candidate leads its group.
     *
     * @param group what is led
     * @param stamp the group's lock key and the term
     * @param candidate its name
     */
    record Elected(String group, FenceStamp stamp, Holder candidate) implements OfLease, OfElection {}

    /**
     * A leader's term ended, and its listener was told.
     *
     * @param group what is led
     * @param stamp the group's lock key and the term
     * @param candidate the leader's name
     * @param reason why it ended
     */
    record Revoked(String group, FenceStamp stamp, Holder candidate, RevocationReason reason)
            implements OfLease, OfElection {}
}
