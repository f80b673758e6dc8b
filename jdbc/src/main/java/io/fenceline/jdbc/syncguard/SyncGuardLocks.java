package io.fenceline.jdbc.syncguard;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.internal.syncguard.StorageNames;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Locking in SyncGuard's tables, by its rules, each operation a {@link Batch}.
 *
 * <p>Lock order: the advisory lock of the key, then the row of the lock, then that of the counter, which nobody touches without the
 * first. SyncGuard's acquire has the same advisory lock; its extension and release only lock the row, of a lock id they know.
 *
 * <p>Where SyncGuard errs we do not: the clock is read when the locks are obtained and not when the transaction began; a row that
 * looks dead is judged again as it is once nobody else is changing it; an extension takes the advisory lock, so that an acquire of
 * SyncGuard, which does not lock the row it looks at, sees it; whoever waits for a lock gives up; tokens that are used up are
 * noticed before anything is written.
 */
final class SyncGuardLocks implements LockStatements {

    /**
     * What was granted or stands. If neither, no token is left, or an extension that takes no advisory lock was faster.
     *
     * <p>The advisory lock keeps the counter still, so the token can be told before the counter is raised.
     *
     * <p>A dead row is locked before the clock is read: an insert that waits for somebody's delete of it would go on with the time at which
     * it began to wait. Who is refused locks nothing.
     */
    private static final String ACQUIRE = Batch.KEY_LOCKED + """
            SELECT key FROM syncguard_locks WHERE key = ?1::text AND expires_at_ms <= %1$s - 1000 FOR UPDATE;
            WITH clock AS MATERIALIZED (
                SELECT %1$s AS now
            ), counter AS MATERIALIZED (
                SELECT coalesce((SELECT fence FROM syncguard_fence_counters WHERE fence_key = ?3::text), 0) AS last_fence
            ), standing AS MATERIALIZED (
                SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
                  FROM syncguard_locks AS lock, clock
                 WHERE lock.key = ?1::text AND lock.expires_at_ms > clock.now - 1000
            ), granted AS (
                INSERT INTO syncguard_locks AS lock (key, lock_id, expires_at_ms, acquired_at_ms, fence, user_key)
                SELECT ?1::text, ?4::text, clock.now + ?5::bigint, clock.now,
                       lpad((counter.last_fence + 1)::text, 15, '0'), ?6::text
                  FROM clock, counter
                 WHERE NOT EXISTS (SELECT FROM standing) AND counter.last_fence <= 900000000000000 - ?7::int
                ON CONFLICT (key) DO UPDATE
                   SET lock_id = excluded.lock_id, fence = excluded.fence, user_key = excluded.user_key,
                       (acquired_at_ms, expires_at_ms) = (
                           SELECT clock.now, clock.now + ?5::bigint
                             FROM (SELECT %1$s WHERE lock.key IS NOT NULL) AS clock (now))
                 WHERE lock.expires_at_ms <= %1$s - 1000
                RETURNING lock.lock_id, lock.fence, lock.acquired_at_ms, lock.expires_at_ms
            ), counted AS (
                INSERT INTO syncguard_fence_counters AS counter (fence_key, fence, key_debug)
                SELECT ?3::text, ?7::int, ?6::text FROM granted
                ON CONFLICT (fence_key) DO UPDATE SET fence = counter.fence + excluded.fence
            )
            SELECT counter.last_fence, coalesce(standing.remaining_ms, 0) AS remaining_ms,
                   coalesce(granted.lock_id, standing.lock_id) AS lock_id,
                   coalesce(granted.fence, standing.fence) AS fence,
                   coalesce(granted.acquired_at_ms, standing.acquired_at_ms) AS acquired_at_ms,
                   coalesce(granted.expires_at_ms, standing.expires_at_ms) AS expires_at_ms
              FROM counter LEFT JOIN standing ON true LEFT JOIN granted ON true""".formatted(Batch.NOW);

    private static final String EXTEND = Batch.KEY_LOCKED + """
            SELECT key FROM syncguard_locks WHERE key = ?1::text AND lock_id = ?3::text FOR UPDATE;
            UPDATE syncguard_locks AS lock
               SET expires_at_ms = greatest(lock.expires_at_ms, clock.now + ?4::bigint)
              FROM (SELECT %s) AS clock (now)
             WHERE lock.key = ?1::text AND lock.lock_id = ?3::text AND lock.expires_at_ms > clock.now - 1000
            RETURNING lock.expires_at_ms""".formatted(Batch.NOW);

    /**
     * Needs no advisory lock: whoever looks at the row sees the lease, or sees that it is over. Does not wait for the disk either:
     * if the server dies before the release is written, the lease runs to its end.
     */
    private static final String RELEASE = """
            SELECT set_config('lock_timeout', ?2::text, true), set_config('synchronous_commit', 'off', true);
            SELECT key FROM syncguard_locks WHERE key = ?1::text AND lock_id = ?3::text FOR UPDATE;
            DELETE FROM syncguard_locks AS lock
             USING (SELECT %s) AS clock (now)
             WHERE lock.key = ?1::text AND lock.lock_id = ?3::text AND lock.expires_at_ms > clock.now - 1000
            RETURNING lock.key""".formatted(Batch.NOW);

    private static final String RUNNING = """
            SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
              FROM syncguard_locks AS lock, (SELECT %s) AS clock (now)
             WHERE lock.%s = ?1::text AND lock.expires_at_ms > clock.now - 1000""";

    private static final StorageNames NAMES = StorageNames.onPostgres();

    private final Batch acquire;
    private final Batch extend;
    private final Batch release;
    private final Sql ofKey;
    private final Sql ofId;
    private final LockStore store;
    private final String lockTimeout;
    private final String rowTimeout;

    SyncGuardLocks(LockStore store, SyncGuardTables tables) {
        this.acquire = new Batch(tables.in(ACQUIRE));
        this.extend = new Batch(tables.in(EXTEND));
        this.release = new Batch(tables.in(RELEASE));
        this.ofKey = new Sql(tables.in(RUNNING.formatted(Batch.NOW, "key")));
        this.ofId = new Sql(tables.in(RUNNING.formatted(Batch.NOW, "lock_id")));
        this.store = store;
        this.lockTimeout = Batch.lockTimeout(store);
        this.rowTimeout = store.lockTimeout();
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        String key = request.key().value();
        return acquire.run(
                        connection,
                        row -> outcome(request, row),
                        NAMES.lock(key),
                        Batch.lockTimeout(store.limit(request.timeout())),
                        NAMES.fence(key),
                        request.lockId().text(),
                        request.ttlMillis(),
                        key,
                        request.tokens())
                .orElseThrow();
    }

    private static Acquisition outcome(AcquireRequest request, ResultSet row) throws SQLException {
        String lockId = row.getString("lock_id");
        if (lockId == null) {
            Checks.tokensLeft(request, row.getLong("last_fence"));
            return new Contended(Duration.ZERO, Optional.empty());
        }
        return lockId.equals(request.lockId().text())
                ? new Granted(SyncGuardRows.grant(request, row))
                : new Contended(Duration.ofMillis(row.getLong("remaining_ms")), Optional.empty());
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return extend.run(
                connection,
                row -> Instant.ofEpochMilli(row.getLong("expires_at_ms")),
                NAMES.lock(key.value()),
                lockTimeout,
                lockId.text(),
                ttlMillis);
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        return release.run(connection, row -> true, NAMES.lock(key.value()), rowTimeout, lockId.text())
                .isPresent();
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException {
        return ofKey.one(connection, SyncGuardRows::lease, NAMES.lock(key.value()));
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException {
        return ofId.one(connection, SyncGuardRows::lease, lockId.text());
    }
}
