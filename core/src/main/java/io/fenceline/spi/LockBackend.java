package io.fenceline.spi;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A store that grants locks: one atomic attempt for each call, on the store's own clock, without waiting for a lock and
 * without retrying.
 *
 * <p>The promises G1 to G11 of {@code docs/guarantees.md} are this interface's contract; {@code LockBackendContract} of
 * the test kit is the same contract in code. Waiting, retrying and renewing belong to the engine ({@link
 * io.fenceline.Locks}), which serves every backend.
 *
 * <p>What a backend can do beyond this is an interface of its own, found with {@link #ability(Class)}: {@link
 * ReleaseSignals}, {@link LockCatalog}, {@link SchemaControl}, {@link SelfDiagnosis}.
 *
 * <p>Implementations are safe for all threads. A call may block for the time that the store takes to answer, bounded by
 * a limit of the backend's own and, for an attempt, by {@link AcquireRequest#timeout} where that is shorter. Every call throws
 * {@link BackendException} if the store refuses or does not answer.
 */
public interface LockBackend extends AutoCloseable {

    /**
     * Takes the lock if it is free or its lease has expired.
     *
     * <p>Decision, token and record are one atomic step. The same lock id asking again while its lease runs gets the same
     * grant, so a request whose reply was lost can be repeated.
     *
     * <p>The caller may count on the lease only until {@code ttl} after the moment it <em>called</em> this method, since it
     * cannot know when the backend granted it. If an earlier call under the same id may have been granted, the time counts
     * from the first of these calls: a repetition returns the grant with its old end and does not prolong it.
     *
     * <p>An id whose lease has ended is granted anew, with a new token. A request that is delivered twice can therefore take
     * the lock for one ttl after its lease has ended. Asking for one id with different numbers of tokens or for different keys
     * is an error of the caller with any answer.
     *
     * @param request the key, the lock id that asks and the ttl
     * @return {@link Acquisition.Granted} with a token greater than every earlier one for this key, or {@link
     *     Acquisition.Contended} if another lease still runs
     * @throws BackendException if the store cannot answer. When its effect is {@link Effect#UNKNOWN} the lock may be taken
     *     now or shortly, and then stays so for the ttl unless released under the same id
     */
    Acquisition acquire(AcquireRequest request);

    /**
     * Moves the end of a running lease to {@code ttl} from now, unless it already ends later: an extension never shortens a
     * lease, so one that the network delivers late changes nothing. Mints nothing and revives nothing.
     *
     * @param key the lock
     * @param lockId the id that holds it
     * @param ttl the time from now on
     * @return when the lease ends now by the backend's clock, or empty if this id has no running lease of this key
     * @throws IllegalArgumentException if the ttl is not valid ({@link LockOptions#requireTtl})
     * @throws BackendException if the store cannot answer. When its effect is {@link Effect#UNKNOWN} the lease ends at its
     *     old or its new time
     */
    Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl);

    /**
     * Ends a running lease. Takes the id out of the queue of waiters if the backend keeps one.
     *
     * @param key the lock
     * @param lockId the id that holds it
     * @return whether this call ended a running lease; false if it had expired, was released before, or belongs to another
     * @throws BackendException if the store cannot answer. When its effect is {@link Effect#UNKNOWN} the lease may have
     *     ended
     */
    boolean release(LockKey key, LockId lockId);

    /**
     * Reads the running lease of a key. For people: what it says may be over when it arrives, so it guards nothing.
     *
     * @param key the lock
     * @return the lease, or empty if the lock is free
     */
    Optional<LockRecord> lookup(LockKey key);

    /**
     * Reads the running lease of a lock id. For people, as {@link #lookup(LockKey)}.
     *
     * @param lockId the id
     * @return the lease, or empty if this id holds none
     */
    Optional<LockRecord> lookup(LockId lockId);

    /**
     * Tells whether a lease of the key runs. For people, as {@link #lookup(LockKey)}.
     *
     * @param key the lock
     * @return whether it is taken
     */
    default boolean isLocked(LockKey key) {
        return lookup(key).isPresent();
    }

    /**
     * Returns an optional ability of this backend. A decorator passes on the abilities of what it decorates.
     *
     * @param type an interface of this package
     * @param <T> the ability
     * @return the ability, or empty if the backend lacks it
     */
    default <T> Optional<T> ability(Class<T> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    /**
     * Closes connections. Leases that run stay until their end. Never throws; a second call does nothing. Every other call
     * after it throws a {@link BackendException} that is not transient and has no effect.
     */
    @Override
    void close();
}
