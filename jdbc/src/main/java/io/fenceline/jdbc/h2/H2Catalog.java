package io.fenceline.jdbc.h2;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.dialect.SqlWork;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.LockRecord;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand, each change with its record in one transaction. */
final class H2Catalog implements LockCatalog {

    /** No byte of a key is 255, so keys that begin with the prefix are all those between. */
    private static final String LIST = """
            SELECT held.*, %1$s AS now
              FROM fenceline_lock AS held
             WHERE held.lock_key >= ?1 AND held.lock_key < CAST(?1 AS VARBINARY) || X'FF'
               AND held.lock_id IS NOT NULL AND held.expires_at >= %1$s
             ORDER BY held.lock_key LIMIT ?2""".formatted(H2Rows.NOW);

    private static final String COUNTER = """
            SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1""";

    private static final String RAISE = """
            SELECT last_fence FROM FINAL TABLE (
              MERGE INTO fenceline_lock AS held
              USING (SELECT CAST(?1 AS VARBINARY(512)) AS lock_key, CAST(?2 AS BIGINT) AS fence, CAST(?3 AS VARCHAR) AS actor)
                    AS asked
                 ON held.lock_key = asked.lock_key
               WHEN MATCHED THEN UPDATE SET last_fence = GREATEST(held.last_fence, asked.fence)
               WHEN NOT MATCHED THEN INSERT
                    (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
                    VALUES (asked.lock_key, asked.fence, 0, 0, NULL, asked.actor, 0, 0))""";

    private static final String LOCKED = """
            SELECT held.*, %1$s AS now FROM fenceline_lock AS held WHERE lock_key = ?1 FOR UPDATE""".formatted(H2Rows.NOW);

    private static final String END = """
            SELECT last_fence FROM FINAL TABLE (
              UPDATE fenceline_lock SET lock_id = NULL, last_fence = last_fence + 1 WHERE lock_key = ?1)""";

    private static final String RECORD = """
            SELECT fence_after FROM FINAL TABLE (
              INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
              VALUES (%1$s, ?2, ?3, ?1, ?4, ?5))""".formatted(H2Rows.NOW);

    private final LockStore store;

    H2Catalog(LockStore store) {
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
                        connection -> sql(LIST)
                                .readable(connection, H2Rows::lease, H2Rows.bytes(LockKey.prefix(prefix)), limit),
                        List.<RunningLease>of())
                .stream()
                .map(lease -> lease.record(store.redaction()))
                .toList();
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        return store.database()
                .read(
                        connection -> sql(COUNTER).one(connection, H2Catalog::token, H2Rows.bytes(key)),
                        Optional.empty());
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return inTransaction(connection -> {
            long before = sql(LOCKED)
                    .one(connection, row -> row.getLong("last_fence"), H2Rows.bytes(key))
                    .orElse(0L);
            if (before >= atLeast.value()) {
                return FencingToken.of(Math.min(before, FencingToken.MAX_VALUE));
            }
            FencingToken raised = sql(RAISE)
                    .one(connection, H2Catalog::token, H2Rows.bytes(key), atLeast.value(), by.text())
                    .orElseThrow();
            record(connection, key, by, "raise", before, raised.value());
            return raised;
        });
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        return inTransaction(connection -> {
                    Optional<Locked> locked = sql(LOCKED).one(connection, Locked::read, H2Rows.bytes(key));
                    if (locked.isEmpty() || locked.get().lease().isEmpty()) {
                        return Optional.<RunningLease>empty();
                    }
                    long before = locked.get().lastFence();
                    if (before >= FencingToken.MAX_VALUE) {
                        throw new BackendException(
                                ErrorCode.INTERNAL,
                                Effect.NONE,
                                "lock '" + key + "' has no token left to spend, so its lease is left to run out",
                                null);
                    }
                    sql(END).one(connection, H2Catalog::token, H2Rows.bytes(key));
                    record(connection, key, by, "force-release", before, before + 1);
                    return locked.get().lease();
                })
                .map(lease -> lease.record(store.redaction()));
    }

    private void record(Connection connection, LockKey key, Holder by, String act, long before, long after)
            throws SQLException {
        sql(RECORD).one(connection, H2Catalog::token, H2Rows.bytes(key), by.text(), act, before, after);
    }

    private <T> T inTransaction(SqlWork<T> work) {
        return store.database().change(connection -> {
            connection.setAutoCommit(false);
            try {
                T answer = work.on(connection);
                connection.commit();
                return answer;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        });
    }

    private Sql sql(String text) {
        return new Sql(store.table().in(text));
    }

    private static FencingToken token(ResultSet row) throws SQLException {
        return FencingToken.of(Math.min(row.getLong(1), FencingToken.MAX_VALUE));
    }

    private record Locked(long lastFence, Optional<RunningLease> lease) {
        static Locked read(ResultSet row) throws SQLException {
            boolean runs = row.getString("lock_id") != null && row.getLong("expires_at") >= row.getLong("now");
            return new Locked(row.getLong("last_fence"), runs ? Optional.of(H2Rows.lease(row)) : Optional.empty());
        }
    }
}
