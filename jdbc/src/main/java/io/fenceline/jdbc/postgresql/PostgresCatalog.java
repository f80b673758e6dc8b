package io.fenceline.jdbc.postgresql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.LockRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Lists a store's leases and puts things right by hand. Every change is one statement with its audit record, so that an
 * operator's program that is stopped in the middle keeps no lock on a row.
 */
final class PostgresCatalog implements LockCatalog {

    private static final String LIST = """
            SELECT lock.*, clock.now
              FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
             WHERE lock.lock_key >= ?1 AND starts_with(lock.lock_key, ?1)
               AND lock.lock_id IS NOT NULL AND lock.expires_at > clock.now
             ORDER BY lock.lock_key LIMIT ?2""";

    private static final String COUNTER = """
            SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1""";

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
        this.store = store;
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ", at least 1 is needed");
        }
        return store
                .database()
                .read(
                        connection ->
                                sql(LIST).readable(connection, PostgresRows::lease, LockKey.prefix(prefix), limit),
                        List.<RunningLease>of())
                .stream()
                .map(lease -> lease.record(store.redaction()))
                .toList();
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        return store.database()
                .read(
                        connection -> sql(COUNTER).one(connection, PostgresCatalog::token, key.value()),
                        Optional.empty());
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return store.database()
                .change(connection -> sql(RAISE)
                        .one(
                                connection,
                                PostgresCatalog::token,
                                key.value(),
                                atLeast.value(),
                                by.text(),
                                store.lockTimeout()))
                .orElseThrow();
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        SignalId signal = SignalId.of(store.table(), key);
        Optional<Ended> ended = store.database()
                .change(connection -> sql(FORCE_RELEASE)
                        .one(
                                connection,
                                Ended::read,
                                key.value(),
                                by.text(),
                                signal.number(),
                                signal.channel(),
                                store.lockTimeout()));
        if (ended.isPresent() && !ended.get().hasEnded()) {
            throw new BackendException(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "lock '" + key + "' has no token left to spend, so its lease is left to run out",
                    null);
        }
        return ended.map(lease -> lease.lease().record(store.redaction()));
    }

    private Sql sql(String text) {
        return new Sql(store.table().in(text));
    }

    private static FencingToken token(ResultSet row) throws SQLException {
        return FencingToken.of(Math.min(row.getLong(1), FencingToken.MAX_VALUE));
    }

    private record Ended(RunningLease lease, boolean hasEnded) {
        static Ended read(ResultSet row) throws SQLException {
            return new Ended(PostgresRows.lease(row), row.getBoolean("has_ended"));
        }
    }
}
