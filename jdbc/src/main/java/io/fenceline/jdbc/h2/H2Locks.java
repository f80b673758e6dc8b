package io.fenceline.jdbc.h2;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockRows;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.TableLocks;
import io.fenceline.jdbc.sql.RowConflict;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
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
final class H2Locks extends TableLocks {

    static final SqlFile SQL = SqlFile.of(H2Locks.class, "lock-statements.sql");

    static final LockRows ROWS = LockRows.ofBytes((row, column) -> Instant.ofEpochMilli(row.getLong(column)));

    /** Duplicate key; deadlock, row changed meanwhile at a strict isolation level. */
    private static final Set<Integer> ANOTHER_WAS_FASTER = Set.of(23505, 40001, 90131);

    private final Sql take;
    private final Sql make;
    private final Sql extend;
    private final Sql release;
    private final Sql releaseAfter;
    private final Sql standing;

    H2Locks(LockStore store) {
        this(SQL.with(store.table()::in));
    }

    private H2Locks(SqlFile sql) {
        super(ROWS, sql);
        this.take = sql.sql("take");
        this.make = sql.sql("make");
        this.extend = sql.sql("extend");
        this.release = sql.sql("release");
        this.releaseAfter = sql.sql("release_after");
        this.standing = sql.sql("standing");
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
    public boolean releaseAfter(Connection connection, LockKey key, LockId lockId, long restMillis)
            throws SQLException {
        return RowConflict.retried(
                connection,
                H2Locks::isConflict,
                same -> releaseAfter
                        .one(same, row -> true, ROWS.key(key), lockId.text(), restMillis)
                        .isPresent());
    }
}
