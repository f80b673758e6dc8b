package io.fenceline.jdbc.sqlserver;

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
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand, each change with its record in one batch. */
final class SqlServerCatalog implements LockCatalog {

    private static final String LIST = """
            SELECT held.*, %1$s AS time_now
              FROM fenceline_lock AS held
             WHERE held.lock_key >= ?1 AND held.lock_key < ?2 AND held.lock_id IS NOT NULL AND held.expires_at > %1$s
             ORDER BY held.lock_key OFFSET 0 ROWS FETCH NEXT ?3 ROWS ONLY""".formatted(Batch.NOW);

    private static final String COUNTER = """
            SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1""";

    private static final String RAISE = """
            INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
            SELECT @now, ?3, 'raise', ?1, COALESCE((SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1), 0), ?2
             WHERE NOT EXISTS (SELECT 1 FROM fenceline_lock WHERE lock_key = ?1 AND last_fence >= ?2);
            UPDATE fenceline_lock
               SET last_fence = ?2
             WHERE lock_key = ?1 AND last_fence < ?2;
            INSERT INTO fenceline_lock (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
            SELECT ?1, ?2, 0, 0, NULL, ?3, @now, @now
             WHERE NOT EXISTS (SELECT 1 FROM fenceline_lock WHERE lock_key = ?1);
            SELECT last_fence
              FROM fenceline_lock
             WHERE lock_key = ?1""";

    private static final String FORCE_RELEASE = """
            SELECT held.*, @now AS time_now
              FROM fenceline_lock AS held
             WHERE lock_key = ?1 AND lock_id IS NOT NULL AND expires_at > @now;
            INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
            SELECT @now, ?2, 'force-release', lock_key, last_fence, last_fence + 1
              FROM fenceline_lock
             WHERE lock_key = ?1 AND lock_id IS NOT NULL AND expires_at > @now AND last_fence < 900000000000000;
            UPDATE fenceline_lock
               SET lock_id = NULL, last_fence = last_fence + 1
             WHERE lock_key = ?1 AND lock_id IS NOT NULL AND expires_at > @now AND last_fence < 900000000000000""";

    private final LockStore store;
    private final Batch raise;
    private final Batch forceRelease;

    SqlServerCatalog(LockStore store) {
        this.store = store;
        this.raise = new Batch(store, RAISE);
        this.forceRelease = new Batch(store, FORCE_RELEASE);
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ", at least 1 is needed");
        }
        byte[] from = LockKey.prefix(prefix).getBytes(StandardCharsets.UTF_8);
        // No byte of a key is 255, so keys that begin with the prefix are all those between.
        byte[] to = Arrays.copyOf(from, from.length + 1);
        to[from.length] = (byte) 255;
        return store
                .database()
                .read(
                        connection -> sql(LIST).readable(connection, SqlServerRows::lease, from, to, limit),
                        List.<RunningLease>of())
                .stream()
                .map(lease -> lease.record(store.redaction()))
                .toList();
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        return store.database()
                .read(
                        connection -> sql(COUNTER).one(connection, SqlServerCatalog::token, SqlServerRows.bytes(key)),
                        Optional.empty());
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return store.database()
                .change(connection -> raise.run(
                        connection, SqlServerCatalog::token, SqlServerRows.bytes(key), atLeast.value(), by.text()))
                .orElseThrow();
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        Optional<Ended> ended = store.database()
                .change(connection -> forceRelease.run(connection, Ended::read, SqlServerRows.bytes(key), by.text()));
        if (ended.isPresent() && ended.get().lastFence() >= FencingToken.MAX_VALUE) {
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

    private record Ended(RunningLease lease, long lastFence) {
        static Ended read(ResultSet row) throws SQLException {
            return new Ended(SqlServerRows.lease(row), row.getLong("last_fence"));
        }
    }
}
