package io.fenceline.jdbc.h2;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.catalog.TableLockCatalog;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.SqlWork;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand, each change with its record in one transaction. */
final class H2Catalog extends TableLockCatalog {

    /** No byte of a key is 255, so keys that begin with the prefix are all those between. */
    private static final String LIST = """
            SELECT held.*, %1$s AS now
              FROM fenceline_lock AS held
             WHERE held.lock_key >= ?1 AND held.lock_key < CAST(?1 AS VARBINARY) || X'FF'
               AND held.lock_id IS NOT NULL AND held.expires_at >= %1$s
             ORDER BY held.lock_key LIMIT ?2""".formatted(H2Locks.NOW);

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
            SELECT held.*, %1$s AS now FROM fenceline_lock AS held WHERE lock_key = ?1 FOR UPDATE""".formatted(H2Locks.NOW);

    private static final String END = """
            SELECT last_fence FROM FINAL TABLE (
              UPDATE fenceline_lock SET lock_id = NULL, last_fence = last_fence + 1 WHERE lock_key = ?1)""";

    private static final String RECORD = """
            SELECT fence_after FROM FINAL TABLE (
              INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
              VALUES (%1$s, ?2, ?3, ?1, ?4, ?5))""".formatted(H2Locks.NOW);

    H2Catalog(LockStore store) {
        super(store, H2Locks.ROWS, LIST);
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        SqlWork<FencingToken> work = transaction -> {
            long before = sql(LOCKED)
                    .one(transaction, row -> row.getLong("last_fence"), H2Locks.ROWS.key(key))
                    .orElse(0L);
            if (before >= atLeast.value()) {
                return FencingToken.of(Math.min(before, FencingToken.MAX_VALUE));
            }
            FencingToken raised = sql(RAISE)
                    .one(transaction, TableLockCatalog::token, H2Locks.ROWS.key(key), atLeast.value(), by.text())
                    .orElseThrow();
            record(transaction, key, by, "raise", before, raised.value());
            return raised;
        };
        return work.inTransaction().on(connection);
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        SqlWork<Optional<Ended>> work = transaction -> {
            Optional<Locked> locked = sql(LOCKED).one(transaction, Locked::read, H2Locks.ROWS.key(key));
            if (locked.isEmpty() || locked.get().lease().isEmpty()) {
                return Optional.empty();
            }
            long before = locked.get().lastFence();
            boolean hasEnded = before < FencingToken.MAX_VALUE;
            if (hasEnded) {
                sql(END).one(transaction, TableLockCatalog::token, H2Locks.ROWS.key(key));
                record(transaction, key, by, "force-release", before, before + 1);
            }
            return locked.get().lease().map(lease -> new Ended(lease, hasEnded));
        };
        return work.inTransaction().on(connection);
    }

    private void record(Connection connection, LockKey key, Holder by, String act, long before, long after)
            throws SQLException {
        sql(RECORD).one(connection, row -> true, H2Locks.ROWS.key(key), by.text(), act, before, after);
    }

    private record Locked(long lastFence, Optional<RunningLease> lease) {
        static Locked read(ResultSet row) throws SQLException {
            boolean runs = row.getString("lock_id") != null && row.getLong("expires_at") >= row.getLong("now");
            return new Locked(
                    row.getLong("last_fence"), runs ? Optional.of(H2Locks.ROWS.lease(row)) : Optional.empty());
        }
    }
}
