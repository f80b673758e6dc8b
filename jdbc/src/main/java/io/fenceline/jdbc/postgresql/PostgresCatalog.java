package io.fenceline.jdbc.postgresql;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.catalog.TableLockCatalog;
import io.fenceline.jdbc.dialect.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Lists a store's leases and puts things right by hand. Every change is one statement with its audit record, so that an
 * operator's program that is stopped in the middle keeps no lock on a row.
 */
final class PostgresCatalog extends TableLockCatalog {

    private static final String LIST = """
            SELECT lock.*, clock.now
              FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
             WHERE lock.lock_key >= ?1 AND starts_with(lock.lock_key, ?1)
               AND lock.lock_id IS NOT NULL AND lock.expires_at > clock.now
             ORDER BY lock.lock_key LIMIT ?2""";

    private static final String RAISE = """
            WITH asked AS MATERIALIZED (
                SELECT ?1::text COLLATE "C" AS lock_key, ?2::bigint AS fence, ?3::text AS actor,
                       set_config('lock_timeout', ?4::text, true)
            ), before AS MATERIALIZED (
                SELECT lock.last_fence
                  FROM fenceline_lock AS lock, asked
                 WHERE lock.lock_key = asked.lock_key
                   FOR NO KEY UPDATE OF lock
            ), raised AS (
                INSERT INTO fenceline_lock AS lock
                       (lock_key, last_fence, fence, tokens, holder, acquired_at, expires_at)
                SELECT lock_key, fence, 0, 0, actor, clock_timestamp(), clock_timestamp()
                  FROM asked
                 WHERE fence > coalesce((SELECT last_fence FROM before), 0)
                ON CONFLICT (lock_key) DO UPDATE SET last_fence = greatest(lock.last_fence, excluded.last_fence)
                RETURNING lock.last_fence
            ), recorded AS (
                INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
                SELECT clock_timestamp(), asked.actor, 'raise', asked.lock_key,
                       coalesce((SELECT last_fence FROM before), 0), raised.last_fence
                  FROM asked, raised
            )
            SELECT coalesce((SELECT last_fence FROM raised), (SELECT last_fence FROM before))""";

    private static final String FORCE_RELEASE = """
            WITH asked AS MATERIALIZED (
                SELECT ?1::text COLLATE "C" AS lock_key, ?2::text AS actor, ?3::bigint AS waiters, ?4::text AS channel,
                       set_config('lock_timeout', ?5::text, true)
            ), running AS MATERIALIZED (
                SELECT lock.*, clock.now
                  FROM asked, fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
                 WHERE lock.lock_key = asked.lock_key AND lock.lock_id IS NOT NULL AND lock.expires_at > clock.now
                   FOR NO KEY UPDATE OF lock
            ), ended AS (
                UPDATE fenceline_lock AS lock
                   SET lock_id = NULL, last_fence = lock.last_fence + 1
                  FROM running
                 WHERE lock.lock_key = running.lock_key AND running.last_fence < 900000000000000
                RETURNING lock.last_fence
            ), recorded AS (
                INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
                SELECT clock_timestamp(), asked.actor, 'force-release', asked.lock_key,
                       running.last_fence, ended.last_fence
                  FROM asked, running, ended
            )
            SELECT running.*, ended.last_fence IS NOT NULL AS has_ended,
                   CASE WHEN ended.last_fence IS NULL OR pg_try_advisory_xact_lock(asked.waiters) THEN ''
                        ELSE pg_notify(asked.channel, '')::text END
              FROM asked, running LEFT JOIN ended ON true""";

    private final LockStore store;

    PostgresCatalog(LockStore store) {
        super(store, PostgresLocks.ROWS, LIST);
        this.store = store;
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        return sql(RAISE)
                .one(connection, TableLockCatalog::token, key.value(), atLeast.value(), by.text(), store.lockTimeout())
                .orElseThrow();
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        SignalId signal = SignalId.of(store.table(), key);
        return sql(FORCE_RELEASE)
                .one(
                        connection,
                        row -> new Ended(PostgresLocks.ROWS.lease(row), row.getBoolean("has_ended")),
                        key.value(),
                        by.text(),
                        signal.number(),
                        signal.channel(),
                        store.lockTimeout());
    }
}
