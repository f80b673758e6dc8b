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

/** An event of a lock, a lease, a guarded resource or an election. */
public sealed interface LockEvent {

    /**
     * Returns the lock key.
     *
     * @return the key, not redacted
     */
    LockKey key();

    /** An event in the life of one lease. */
    sealed interface OfLease extends LockEvent {

        /**
         * Returns the stamp of the lease.
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
     * An acquisition begins. On the same thread {@link Acquired} or {@link NotAcquired} follows, one of them, once.
     *
     * @param key the lock
     */
    record AcquireBegun(LockKey key) implements LockEvent {}

    /**
     * A lease was granted.
     *
     * @param stamp its key and token
     * @param holder the holder
     * @param waited from the call to the grant
     * @param attempts number of attempts at the backend
     */
    record Acquired(FenceStamp stamp, Holder holder, Duration waited, int attempts) implements OfLease {}

    /**
     * An attempt or a wait ended without the lock.
     *
     * @param key the lock
     * @param reason the reason
     * @param waited from the call to the end
     * @param attempts number of attempts at the backend; 0 if other threads of this process held the lock all the time
     */
    record NotAcquired(LockKey key, NoGrant reason, Duration waited, int attempts) implements LockEvent {}

    /**
     * A lease was extended.
     *
     * @param stamp its key and token
     * @param ttl the ttl from now on
     */
    record Extended(FenceStamp stamp, Duration ttl) implements OfLease {}

    /**
     * A lease was renewed automatically. Follows {@link Extended}.
     *
     * @param stamp its key and token
     * @param ttl the ttl from now on
     * @param late the delay from the due time, failed attempts included. Renewals are due at a third of the ttl, so a delay of
     *     two thirds loses the lease
     */
    record Renewed(FenceStamp stamp, Duration ttl, Duration late) implements OfLease {}

    /**
     * A renewal failed; it is retried until the deadline. Or it has had no reply for a quarter of the time that was left when it
     * started, for instance because it waits for a connection of a pool that others use up; then it goes on, and this event comes once
     * for it, with {@link io.fenceline.ErrorCode#NETWORK_TIMEOUT}.
     *
     * @param stamp the lease's key and token
     * @param error the failure
     * @param remaining the time to the deadline
     */
    record RenewalFailed(FenceStamp stamp, BackendException error, Duration remaining) implements OfLease {}

    /**
     * A lease was released.
     *
     * @param stamp its key and token
     * @param outcome the outcome
     * @param rest for how long the lock stays taken, from the release on; zero unless there is a {@linkplain
     *     io.fenceline.LockOptions#minHold minimum hold}
     * @param passedOn whether the lock went to another thread of this process without asking the store, so that the outcome does not
     *     confirm that the store still had the lease
     */
    record Released(FenceStamp stamp, ReleaseOutcome outcome, Duration rest, boolean passedOn) implements OfLease {}

    /**
     * A release failed at the backend. The lease is over for its holder; the lock stays taken until a retry succeeds or its ttl
     * ends.
     *
     * @param stamp its key and token
     * @param error the failure
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
     * Work under a lease has ended.
     *
     * @param stamp the lease's key and token
     * @param error the exception, or null
     */
    record BodyEnded(FenceStamp stamp, @Nullable Throwable error) implements OfLease {}

    /**
     * A lease was lost while it was held.
     *
     * @param stamp its key and token
     * @param reason the reason
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
         * Returns the resource.
         *
         * @return the resource name, not redacted
         */
        String resource();

        /**
         * Returns the writer's stamp.
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
     * A guarded write or claim begins. On the same thread {@link GuardAnswered} follows, after the event of a refusal.
     *
     * @param resource the resource
     * @param presented the writer's key and token
     * @param act write or claim
     */
    record GuardAsked(String resource, FenceStamp presented, GuardAct act) implements OfGuard {}

    /**
     * A guarded write or claim has ended.
     *
     * @param resource the resource
     * @param presented the writer's key and token
     * @param act write or claim
     * @param accepted true if it was done; false if it was refused, or the store or the effect failed
     */
    record GuardAnswered(String resource, FenceStamp presented, GuardAct act, boolean accepted) implements OfGuard {}

    /**
     * A guard refused a write or a claim with a superseded token.
     *
     * @param resource the resource
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
     * @param resource the resource
     * @param presented the writer's key and token
     * @param owner the lock key that the resource belongs to
     */
    record ForeignRefused(String resource, FenceStamp presented, LockKey owner) implements OfGuard {}

    /**
     * A new grant has a smaller token than its resource has seen: the lock store has lost tokens, for instance by a restore from an
     * older copy.
     *
     * @param resource the resource
     * @param presented the new grant's key and token
     * @param highest the greatest token that the resource has seen
     */
    record TokenRegressed(String resource, FenceStamp presented, FencingToken highest) implements OfGuard {}

    /** An event in an election. */
    sealed interface OfElection extends LockEvent {

        /**
         * Returns the group.
         *
         * @return the group's name, not redacted
         */
        String group();

        /**
         * Returns the candidate.
         *
         * @return the candidate's name
         */
        Holder candidate();
    }

    /**
     * A candidate joined an election.
     *
     * @param group the group
     * @param key the group's lock key
     * @param candidate its name
     */
    record Joined(String group, LockKey key, Holder candidate) implements OfElection {}

    /**
     * A candidate left an election.
     *
     * @param group the group
     * @param key the group's lock key
     * @param candidate its name
     */
    record Left(String group, LockKey key, Holder candidate) implements OfElection {}

    /**
     * A candidate was elected.
     *
     * @param group the group
     * @param stamp the group's lock key and the term
     * @param candidate its name
     */
    record Elected(String group, FenceStamp stamp, Holder candidate) implements OfLease, OfElection {}

    /**
     * A leader's term ended, after its listener was called.
     *
     * @param group the group
     * @param stamp the group's lock key and the term
     * @param candidate the leader's name
     * @param reason the reason
     */
    record Revoked(String group, FenceStamp stamp, Holder candidate, RevocationReason reason)
            implements OfLease, OfElection {}
}
