package io.fenceline.jdbc.product;

import io.fenceline.LockId;
import io.fenceline.LockKey;
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

/**
 * Locking in statements that each change one row and commit by themselves. The clock counts whole milliseconds and is never ahead, so
 * a lease runs through the whole of its last one: it ends when the clock is above {@code expires_at}.
 */
final class RowLocks extends TableLocks {

    static final LockRows ROWS = LockRows.ofBytes((row, column) -> Instant.ofEpochMilli(row.getLong(column)));

    private final FenceDialect errors;
    private final Sql take;
    private final Sql make;
    private final Sql extend;
    private final Sql release;
    private final Sql releaseAfter;
    private final Sql standing;

    /**
     * Creates the statements.
     *
     * @param errors tells which errors mean that another was faster
     * @param sql names the store's tables, and has {@code take}, {@code make}, {@code extend}, {@code release} and {@code release_after}
     */
    RowLocks(FenceDialect errors, SqlFile sql) {
        super(ROWS, sql);
        this.errors = errors;
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

    private Optional<Acquisition> attempt(Sql sql, Connection connection, AcquireRequest request) throws SQLException {
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
            if (errors.isRowConflict(e)) {
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

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return RowConflict.retried(
                connection,
                errors::isRowConflict,
                same -> extend.one(same, row -> ROWS.time(row, "expires_at"), ROWS.key(key), lockId.text(), ttlMillis));
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        return RowConflict.retried(
                connection,
                errors::isRowConflict,
                same -> release.one(same, row -> true, ROWS.key(key), lockId.text())
                        .isPresent());
    }

    @Override
    public boolean releaseAfter(Connection connection, LockKey key, LockId lockId, long restMillis)
            throws SQLException {
        return RowConflict.retried(
                connection,
                errors::isRowConflict,
                same -> releaseAfter
                        .one(same, row -> true, ROWS.key(key), lockId.text(), restMillis)
                        .isPresent());
    }
}
