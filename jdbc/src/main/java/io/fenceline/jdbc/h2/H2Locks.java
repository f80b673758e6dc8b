package io.fenceline.jdbc.h2;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.LockRows;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RowConflict;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Locking in statements that each commit by themselves. The clock counts whole milliseconds and is never ahead, so a lease runs
 * through the whole of its last one: it ends when the clock is above {@code expires_at}.
 */
final class H2Locks implements LockStatements {

    /**
     * The time at which it is asked, in milliseconds. {@code CURRENT_TIMESTAMP} is the time at which the statement began, which
     * may have waited for a row since. The first 48 bits of a UUID of version 7 are milliseconds since 1970 (RFC 9562).
     */
    static final String NOW = "CAST(X'0000' || SUBSTRING(CAST(RANDOM_UUID(7) AS VARBINARY) FROM 1 FOR 6) AS BIGINT)";

    static final LockRows ROWS = LockRows.ofBytes((row, column) -> Instant.ofEpochMilli(row.getLong(column)));

    /** The condition is judged again if the row has changed while it was waited for. Both times are one look at the clock. */
    private static final String TAKE = """
            SELECT fence, tokens, lock_id, holder, acquired_at, expires_at FROM FINAL TABLE (
              UPDATE fenceline_lock AS held
                 SET fence = last_fence + 1, last_fence = last_fence + ?3, tokens = ?3, lock_id = ?2, holder = ?4,
                     (acquired_at, expires_at) =
                       (SELECT clock.time_now, clock.time_now + ?5
                          FROM (SELECT %1$s AS time_now) AS clock WHERE held.lock_key IS NOT NULL)
               WHERE lock_key = ?1 AND last_fence <= 900000000000000 - ?3
                 AND (lock_id IS NULL OR expires_at < %1$s))""";

    private static final String MAKE = """
            SELECT fence, tokens, lock_id, holder, acquired_at, expires_at FROM FINAL TABLE (
              INSERT INTO fenceline_lock (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
              SELECT ?1, CAST(?3 AS BIGINT), 1, ?3, ?2, ?4, clock.time_now, clock.time_now + ?5
                FROM (SELECT %1$s AS time_now) AS clock)""";

    /** The expiry is judged once more in the assignment, since the row may have been waited for and not changed. */
    private static final String EXTEND = """
            SELECT expires_at FROM FINAL TABLE (
              UPDATE fenceline_lock
                 SET expires_at = CASE WHEN expires_at >= %1$s THEN GREATEST(expires_at, %1$s + ?3) ELSE expires_at END
               WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at >= %1$s)
             WHERE expires_at >= %1$s""";

    private static final String RELEASE = """
            SELECT lock_id FROM FINAL TABLE (
              UPDATE fenceline_lock
                 SET lock_id = CASE WHEN expires_at >= %1$s THEN NULL ELSE lock_id END
               WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at >= %1$s)
             WHERE lock_id IS NULL""";

    private static final String STANDING = """
            SELECT held.*, %1$s AS now FROM fenceline_lock AS held WHERE lock_key = ?1""";

    private static final String RUNNING = """
            SELECT held.*, %1$s AS now
              FROM fenceline_lock AS held
             WHERE held.%2$s = ?1 AND held.lock_id IS NOT NULL AND held.expires_at >= %1$s""";

    /** Duplicate key; deadlock, row changed meanwhile at a strict isolation level. */
    private static final Set<Integer> ANOTHER_WAS_FASTER = Set.of(23505, 40001, 90131);

    private final Sql take;
    private final Sql make;
    private final Sql extend;
    private final Sql release;
    private final Sql standing;
    private final Sql ofKey;
    private final Sql ofId;

    H2Locks(LockStore store) {
        this.take = sql(store, TAKE);
        this.make = sql(store, MAKE);
        this.extend = sql(store, EXTEND);
        this.release = sql(store, RELEASE);
        this.standing = sql(store, STANDING);
        this.ofKey = sql(store, RUNNING.formatted(NOW, "lock_key"));
        this.ofId = sql(store, RUNNING.formatted(NOW, "lock_id"));
    }

    private static Sql sql(LockStore store, String text) {
        return new Sql(store.table().in(text.formatted(NOW)));
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        Optional<Acquisition> taken = attempt(take, connection, request);
        if (taken.isPresent()) {
            return taken.get();
        }
        Optional<Acquisition> refusal = refusal(connection, request);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        Optional<Acquisition> made = attempt(make, connection, request);
        if (made.isPresent()) {
            return made.get();
        }
        // Another made it meanwhile, perhaps under our lock id.
        return refusal(connection, request).orElse(new Contended(Duration.ZERO, Optional.empty()));
    }

    private static Optional<Acquisition> attempt(Sql sql, Connection connection, AcquireRequest request)
            throws SQLException {
        try {
            return sql.one(
                    connection,
                    row -> new Granted(ROWS.grant(request.key(), row)),
                    ROWS.key(request.key()),
                    request.lockId().text(),
                    request.tokens(),
                    request.holder().text(),
                    request.ttlMillis());
        } catch (SQLException e) {
            if (isConflict(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Answers what is in the row; empty if there is none. */
    private Optional<Acquisition> refusal(Connection connection, AcquireRequest request) throws SQLException {
        return standing.one(
                connection,
                row -> {
                    if (row.getString("lock_id") == null || row.getLong("expires_at") < row.getLong("now")) {
                        Checks.tokensLeft(request, row.getLong("last_fence"));
                        return new Contended(Duration.ZERO, Optional.empty());
                    }
                    return LockRows.answer(request, ROWS.lease(row));
                },
                ROWS.key(request.key()));
    }

    private static boolean isConflict(SQLException e) {
        return ANOTHER_WAS_FASTER.contains(e.getErrorCode());
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return RowConflict.retried(
                connection,
                H2Locks::isConflict,
                same -> extend.one(same, row -> ROWS.time(row, "expires_at"), ROWS.key(key), lockId.text(), ttlMillis));
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        return RowConflict.retried(
                connection,
                H2Locks::isConflict,
                same -> release.one(same, row -> true, ROWS.key(key), lockId.text())
                        .isPresent());
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockKey key) throws SQLException {
        return ofKey.one(connection, ROWS::lease, ROWS.key(key));
    }

    @Override
    public Optional<RunningLease> running(Connection connection, LockId lockId) throws SQLException {
        return ofId.one(connection, ROWS::lease, lockId.text());
    }
}
