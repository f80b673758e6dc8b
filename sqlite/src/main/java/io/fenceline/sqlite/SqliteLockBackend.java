package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Locks in a SQLite file that all processes of one machine share.
 *
 * <p>What is granted, extended, raised or released by force is on the disk when the call returns, and survives a power failure.
 * An ordinary release may be undone by one: the lease then runs to its end. LeaseQueries end by the {@link MachineClock}; all
 * processes that use a file must run on one kernel and see the same clock.
 *
 * <p>Writers take turns for some microseconds each and wait for the disk side by side; readers wait for nobody. A process that
 * is killed at any moment leaves nothing behind. One that is <em>stopped</em> within those microseconds keeps all others from
 * writing until it is continued or ends; they fail after the busy limit with an error that names it.
 *
 * <p>Load SQLite's driver in one class loader only: two copies in one process break each other's file locks.
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

    private final SqliteStore store;
    private final LeaseQueries leases;
    private final SqliteWaiterNotices notices;
    private final SqliteOptions options;

    private SqliteLockBackend(SqliteStore store, SqliteOptions options) {
        this.store = store;
        this.leases = new LeaseQueries(store);
        this.notices = new SqliteWaiterNotices(store);
        this.options = options;
    }

    /**
     * Opens a store. If it is missing, it is created by the first change; until then whoever looks finds nothing.
     *
     * @param file where the store lies, on a local disk and in a folder that exists
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws BackendException if the file cannot be used; the message names the obstacle and the remedy
     */
    public static SqliteLockBackend open(Path file, SqliteOptions options) {
        return new SqliteLockBackend(SqliteStore.open(file, options), options);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Looks first and asks for the write lock only if the lock seems free: those who are refused, and ask again and again,
     * would else keep the holder from releasing.
     */
    @Override
    public Acquisition acquire(AcquireRequest request) {
        return standing(request)
                .or(() -> granted(request))
                .or(() -> standing(request))
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
                        LeaseRow::grantOf,
                        request.key().value(),
                        request.tokens(),
                        request.lockId().text(),
                        request.holder().text(),
                        request.ttlMillis(),
                        FencingToken.MAX_VALUE)
                .map(Granted::new);
    }

    /** Answers from the lease that runs, if one does. */
    private Optional<Acquisition> standing(AcquireRequest request) {
        return leases.running(request.timeout(), request.key()).map(lease -> {
            if (!lease.grant().lockId().equals(request.lockId())) {
                return new Contended(
                        lease.remaining(), Optional.of(lease.grant().holder()));
            }
            // The answer was lost, perhaps with a process that died before the grant was on the disk.
            store.makeDurable();
            return new Granted(lease.grant());
        });
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        long ttlMillis = AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl));
        return store.change(EXTEND, row -> Instant.ofEpochMilli(row.getLong(1)), key.value(), lockId.text(), ttlMillis);
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return store.changeLightly(RELEASE, row -> true, key.value(), lockId.text())
                .isPresent();
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return leases.running(key).map(lease -> lease.record(options.redaction()));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return leases.running(lockId).map(lease -> lease.record(options.redaction()));
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return Stream.of(
                        this,
                        new SqliteLockCatalog(store, options.redaction()),
                        new SqliteFenceCatalog(store),
                        notices,
                        store.schema(),
                        new SqliteTriggerControl(store),
                        new SqliteDiagnosis(store, options.clock()))
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    @Override
    public void close() {
        store.close();
    }
}
