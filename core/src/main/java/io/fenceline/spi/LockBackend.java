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
 * Grants locks in a store: each call is one atomic attempt on the store's clock, without waiting and without retries.
 *
 * <p>The promises G1 to G11 of {@code docs/guarantees.md} are this interface's contract; {@code LockBackendContract} of
 * the test kit is the same contract in code. Waiting, retrying and renewing belong to the engine ({@link
 * io.fenceline.Locks}), which serves every backend.
 *
 * <p>Optional abilities are separate interfaces, found with {@link #ability(Class)}: {@link ReleaseSignals}, {@link Succession},
 * {@link BulkExtension}, {@link WaiterNotices}, {@link LockCatalog}, {@link SchemaControl}, {@link SelfDiagnosis}.
 *
 * <p>Implementations are thread-safe. A call may block on the store, up to the backend's own timeout and, for an attempt, up to
 * {@link AcquireRequest#timeout} if that is shorter. Every call throws
 * {@link BackendException} if the store refuses or does not answer.
 */
public interface LockBackend extends AutoCloseable {

    /**
     * Acquires the lock if it is free or its lease has expired.
     *
     * <p>Decision, token and record are one atomic step. A retry under the same lock id while its lease runs gets the same grant,
     * so a request whose reply was lost can be retried.
     *
     * <p>The caller may count on the lease only until {@code ttl} after the moment it <em>called</em> this method, since it
     * cannot know when the backend granted it. If an earlier call under the same id may have been granted, the time counts
     * from the first of these calls: a retry returns the grant with its old end and does not prolong it.
     *
     * <p>After the end of its lease, an id gets a new grant with a new token. A request that is delivered twice can therefore take the
     * lock for one ttl after its lease has ended. Using one id with different keys is an error of the caller, with unspecified results.
     *
     * <p>A grant has at least one token and at most as many as were asked for. A retry that asks for another number gets the same
     * grant with the same tokens. The grant of an id that was enqueued may go by any number that was asked for under it.
     *
     * @param request the key, the lock id and the ttl
     * @return {@link Acquisition.Granted} with tokens greater than every earlier one for this key, or {@link
     *     Acquisition.Contended} if another lease still runs
     * @throws BackendException if the store cannot answer. When its effect is {@link Effect#UNKNOWN} the lock may be taken
     *     now or shortly, and then stays so for the ttl unless released under the same id
     */
    Acquisition acquire(AcquireRequest request);

    /**
     * Moves the end of a running lease to {@code ttl} from now, unless it already ends later: an extension never shortens a
     * lease, so one that the network delivers late changes nothing. Mints no token and revives no lease.
     *
     * @param key the lock
     * @param lockId the lock id
     * @param ttl the new ttl, from now on
     * @return the end of the lease by the backend's clock, or empty if this id has no running lease of this key
     * @throws IllegalArgumentException if the ttl is not valid ({@link LockOptions#requireTtl})
     * @throws BackendException if the store cannot answer. When its effect is {@link Effect#UNKNOWN} the lease ends at its
     *     old or its new time
     */
    Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl);

    /**
     * Ends a running lease. Removes the id from the wait queue, if the backend has one.
     *
     * @param key the lock
     * @param lockId the lock id
     * @return whether this call ended a running lease; false if it had expired, was released before, or belongs to another
     * @throws BackendException if the store cannot answer. When its effect is {@link Effect#UNKNOWN} the lease may have
     *     ended
     */
    boolean release(LockKey key, LockId lockId);

    /**
     * Moves the end of a running lease to {@code rest} from now, be that sooner or later than before: the last request of a holder
     * whose work is done and whose lock shall stay taken for a while. Id, holder and token stay, so it can be repeated, and {@link
     * #release} ends the rest. Mints no token and revives no lease. Where the backend signals releases, it also signals waiters
     * that the end is sooner.
     *
     * <p>An extension that the network delivers later prolongs the rest to its own ttl from its arrival at most.
     *
     * @param key the lock
     * @param lockId the lock id
     * @param rest the time for which others are still kept out; the backend may round it up to whole milliseconds
     * @return whether this id had a running lease of this key
     * @throws IllegalArgumentException if the rest is not valid ({@link Checks#restMillis})
     * @throws BackendException if the store cannot answer. When its effect is {@link Effect#UNKNOWN} the lease ends at its
     *     old or its new time
     */
    boolean releaseAfter(LockKey key, LockId lockId, Duration rest);

    /**
     * Reads the running lease of a key. For display: it may have ended when the result arrives.
     *
     * @param key the lock
     * @return the lease, or empty if the lock is free
     */
    Optional<LockRecord> lookup(LockKey key);

    /**
     * Reads the running lease of a lock id. For display, like {@link #lookup(LockKey)}.
     *
     * @param lockId the id
     * @return the lease, or empty if this id holds none
     */
    Optional<LockRecord> lookup(LockId lockId);

    /**
     * Returns whether a lease of the key runs. For display, like {@link #lookup(LockKey)}.
     *
     * @param key the lock
     * @return whether it is taken
     */
    default boolean isLocked(LockKey key) {
        return lookup(key).isPresent();
    }

    /**
     * Asks the store for a reply, by which a health check knows that locks can be taken. By default looks up a key that nobody locks.
     *
     * @throws io.fenceline.BackendException if the store fails, or could not be used for locks
     */
    default void ping() {
        lookup(LockKey.of("fenceline-health-check"));
    }

    /**
     * Returns an optional ability of this backend. A decorator forwards the abilities of the decorated backend.
     *
     * @param type an interface of this package
     * @param <T> the ability
     * @return the ability, or empty if the backend lacks it
     */
    default <T> Optional<T> ability(Class<T> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    /**
     * Closes connections. Running leases stay until they expire. Idempotent; never throws. All other calls then throw a {@link
     * BackendException} that is not transient and has no effect.
     */
    @Override
    void close();
}
