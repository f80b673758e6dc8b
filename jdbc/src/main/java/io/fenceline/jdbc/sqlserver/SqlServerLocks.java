package io.fenceline.jdbc.sqlserver;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Locking in batches of one round trip; see {@link Batch}. */
final class SqlServerLocks implements LockStatements {

    private static final String ACQUIRE = """
            UPDATE fenceline_lock
               SET fence = last_fence + 1, last_fence = last_fence + ?3, tokens = ?3, lock_id = ?2, holder = ?4,
                   acquired_at = @now, expires_at = @now + ?5
             WHERE lock_key = ?1 AND last_fence <= 900000000000000 - ?3 AND (lock_id IS NULL OR expires_at <= @now);
            INSERT INTO fenceline_lock (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
            SELECT ?1, ?3, 1, ?3, ?2, ?4, @now, @now + ?5
             WHERE NOT EXISTS (SELECT 1 FROM fenceline_lock WHERE lock_key = ?1);
            SELECT lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at, @now AS time_now
              FROM fenceline_lock
             WHERE lock_key = ?1""";

    private static final String EXTEND = """
            UPDATE fenceline_lock
               SET expires_at = CASE WHEN expires_at > @now + ?3 THEN expires_at ELSE @now + ?3 END
             WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at > @now;
            SELECT expires_at
              FROM fenceline_lock
             WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at > @now""";

    private static final String RELEASE = """
            SELECT lock_id
              FROM fenceline_lock
             WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at > @now;
            UPDATE fenceline_lock
               SET lock_id = NULL
             WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at > @now""";

    private static final String RUNNING = """
            SELECT held.*, %1$s AS time_now
              FROM fenceline_lock AS held
             WHERE held.%2$s = ?1 AND held.lock_id IS NOT NULL AND held.expires_at > %1$s""";

    private final Batch acquire;
    private final Batch extend;
    private final Batch release;
    private final Sql ofKey;
    private final Sql ofId;

    SqlServerLocks(LockStore store) {
        this.acquire = new Batch(store, ACQUIRE);
        this.extend = new Batch(store, EXTEND);
        this.release = new Batch(store, RELEASE);
        this.ofKey = new Sql(store.table().in(RUNNING.formatted(Batch.NOW, "lock_key")));
        this.ofId = new Sql(store.table().in(RUNNING.formatted(Batch.NOW, "lock_id")));
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        return acquire.run(
                        connection,
                        row -> outcome(request, row),
                        SqlServerRows.bytes(request.key()),
                        request.lockId().text(),
                        (long) request.tokens(),
                        request.holder().text(),
                        request.ttlMillis() * 1000)
                .orElseThrow(() -> new SQLException("the row of lock '" + request.key() + "' is gone"));
    }

    private static Acquisition outcome(AcquireRequest request, ResultSet row) throws SQLException {
        if (row.getString("lock_id") == null || row.getLong("expires_at") <= row.getLong("time_now")) {
            ensureTokensLeft(request, row.getLong("last_fence"));
            // Cannot be, as long as the hints lock the row.
            return new Contended(Duration.ZERO, Optional.empty());
        }
        RunningLease lease = SqlServerRows.lease(row);
        return lease.grant().lockId().equals(request.lockId())
                ? new Granted(lease.grant())
                : new Contended(lease.remaining(), Optional.of(lease.grant().holder()));
    }

    private static void ensureTokensLeft(AcquireRequest request, long last) {
        if (last > FencingToken.MAX_VALUE - request.tokens()) {
            throw new BackendException(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "the fencing tokens of lock '" + request.key() + "' are used up: the last was " + last + ", "
                            + request.tokens() + " more were asked for",
                    null);
        }
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return extend.run(
                connection,
                row -> SqlServerRows.time(row, "expires_at"),
                SqlServerRows.bytes(key),
                lockId.text(),
                ttlMillis * 1000);
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        return release.run(connection, row -> true, SqlServerRows.bytes(key), lockId.text())
                .isPresent();
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException {
        return ofKey.one(connection, SqlServerRows::lease, SqlServerRows.bytes(key));
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException {
        return ofId.one(connection, SqlServerRows::lease, lockId.text());
    }
}
