package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.jdbc.product.LockRows;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Locks in a SQLite file that all processes of one machine share.
 *
 * <p>What is granted, extended, raised or released by force is on the disk when the call returns, and survives a power failure.
 * A power failure may undo an ordinary release: the lease then runs to its end.
 *
 * <p>On Linux leases end by the time since the machine was started, which cannot be set. Elsewhere they end by the wall clock: there,
 * setting it ahead ends leases early, and setting it back prolongs them. All processes that use a file must run on one kernel and see
 * the same clock.
 *
 * <p>Writers hold the file's write lock for some microseconds each and wait for the disk side by side; readers wait for nobody. A process
 * that is killed at any moment leaves nothing behind. One that is <em>stopped</em> within those microseconds keeps all others from
 * writing until it is continued or ends; they fail after the busy limit with an error that names it.
 *
 * <p>Load SQLite's driver in one class loader only: two copies in one process break each other's file locks, so a file that is open
 * through another copy is refused.
 */
public final class SqliteLockBackend implements LockBackend {

    private static final String ACQUIRE = """
            INSERT INTO fenceline_lock AS lock
                   (lock_key, last_fence, fence, tokens, lock_id, holder, ttl,
                    acquired_at, expires_at, boot_id, ends_at_uptime)
            VALUES (?1, ?2, 1, ?2, ?3, ?4, ?5, wall_clock(), end_by_wall_clock(?5), boot_id(), end_by_uptime(?5))
            ON CONFLICT (lock_key) DO UPDATE SET
                   last_fence = lock.last_fence + excluded.tokens, fence = lock.last_fence + 1,
                   tokens = excluded.tokens, lock_id = excluded.lock_id, holder = excluded.holder, ttl = excluded.ttl,
                   acquired_at = excluded.acquired_at, expires_at = excluded.expires_at,
                   boot_id = excluded.boot_id, ends_at_uptime = excluded.ends_at_uptime
             WHERE (lock.lock_id IS NULL
                    OR remaining(lock.boot_id, lock.ends_at_uptime, lock.expires_at, lock.ttl) = 0)
               AND lock.last_fence <= ?6 - excluded.tokens
            RETURNING *""";

    private static final String EXTEND = """
            UPDATE fenceline_lock
               SET expires_at = CASE WHEN %1$s THEN expires_at ELSE end_by_wall_clock(?3) END,
                   boot_id = CASE WHEN %1$s THEN boot_id ELSE boot_id() END,
                   ends_at_uptime = CASE WHEN %1$s THEN ends_at_uptime ELSE end_by_uptime(?3) END,
                   ttl = CASE WHEN %1$s THEN ttl ELSE ?3 END
             WHERE lock_key = ?1 AND lock_id = ?2 AND remaining(boot_id, ends_at_uptime, expires_at, ttl) > 0
            RETURNING expires_at""".formatted("outlasts(boot_id, ends_at_uptime, expires_at, ttl, ?3)");

    private static final String RELEASE = """
            UPDATE fenceline_lock SET lock_id = NULL
             WHERE lock_key = ?1 AND lock_id = ?2 AND remaining(boot_id, ends_at_uptime, expires_at, ttl) > 0
            RETURNING last_fence""";

    private static final String RELEASE_AFTER = """
            UPDATE fenceline_lock
               SET expires_at = end_by_wall_clock(?3), boot_id = boot_id(), ends_at_uptime = end_by_uptime(?3), ttl = ?3
             WHERE lock_key = ?1 AND lock_id = ?2 AND remaining(boot_id, ends_at_uptime, expires_at, ttl) > 0
            RETURNING last_fence""";

    private final SqliteStore store;
    private final LeaseQueries leases;
    private final Redaction redaction;
    private final List<Object> abilities;

    private SqliteLockBackend(SqliteStore store, Redaction redaction, MachineClock clock) {
        this.store = store;
        this.leases = new LeaseQueries(store);
        this.redaction = redaction;
        this.abilities = List.of(
                this,
                new SqliteLockCatalog(store, redaction),
                new SqliteFenceCatalog(store),
                new SqliteWaiterNotices(store),
                store.schema(),
                new SqliteTriggerControl(store),
                new SqliteDiagnosis(store, clock));
    }

    /**
     * Opens a store. If it is missing, the first change creates it; until then reads find nothing.
     *
     * @param file where the store lies, on a local disk and in a folder that exists
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws BackendException if the file cannot be used; the message names the obstacle and the remedy
     */
    public static SqliteLockBackend open(Path file, SqliteOptions options) {
        return open(file, options, MachineClock.system());
    }

    /** Opens a store on another clock; all processes that share a file must have the same. */
    static SqliteLockBackend open(Path file, SqliteOptions options, MachineClock clock) {
        return new SqliteLockBackend(SqliteStore.open(file, options.busyLimit(), clock), options.redaction(), clock);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Reads first and asks for the write lock only if the lock seems free. Refused waiters that retry would otherwise keep the
     * holder from releasing.
     */
    @Override
    public Acquisition acquire(AcquireRequest request) {
        return running(request)
                .or(() -> granted(request))
                .or(() -> running(request))
                .orElseGet(() -> {
                    // The lease that was in the way has ended since.
                    Checks.tokensLeft(
                            request,
                            leases.lastToken(request.key())
                                    .map(FencingToken::value)
                                    .orElse(0L));
                    return new Contended(Duration.ZERO, Optional.empty());
                });
    }

    private Optional<Acquisition> granted(AcquireRequest request) {
        return store.change(
                        request.timeout(),
                        ACQUIRE,
                        LeaseQueries::grant,
                        request.key().value(),
                        request.tokens(),
                        request.lockId().text(),
                        request.holder().text(),
                        request.ttlMillis(),
                        FencingToken.MAX_VALUE)
                .map(Granted::new);
    }

    /** Answers from the lease that runs, if one does. */
    private Optional<Acquisition> running(AcquireRequest request) {
        return leases.running(request.timeout(), request.key()).map(lease -> {
            Acquisition answer = LockRows.answer(request, lease);
            if (answer instanceof Granted) {
                // The reply was lost, perhaps with a process that died before the grant was on the disk.
                store.sync();
            }
            return answer;
        });
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        long ttlMillis = AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl));
        return store.change(EXTEND, row -> Instant.ofEpochMilli(row.getLong(1)), key.value(), lockId.text(), ttlMillis);
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return store.changeWithoutSync(RELEASE, row -> true, key.value(), lockId.text())
                .isPresent();
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        return store.change(RELEASE_AFTER, row -> true, key.value(), lockId.text(), Checks.restMillis(rest))
                .isPresent();
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return leases.running(key).map(lease -> lease.record(redaction));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return leases.running(lockId).map(lease -> lease.record(redaction));
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return abilities.stream().filter(type::isInstance).map(type::cast).findFirst();
    }

    @Override
    public void close() {
        store.close();
    }
}
