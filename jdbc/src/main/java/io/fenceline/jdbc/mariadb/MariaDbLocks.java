package io.fenceline.jdbc.mariadb;

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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Locking by calls of the schema's procedures, since no statement of MySQL changes a row and tells what has become of it. A call is
 * one round trip. Its statements are transactions of their own, so that a call that is killed leaves none open.
 *
 * <p>Several that insert the row of one key can be deadlocked where such a row was just now, undone or deleted: InnoDB gives each of
 * them a shared lock first. Those that it cancels for the sake of one try again.
 */
final class MariaDbLocks extends TableLocks {

    static final SqlFile SQL =
            SqlFile.of(MariaDbLocks.class, "lock-statements.sql").and(COMMON);

    static final LockRows ROWS =
            LockRows.ofBytes((row, column) -> Instant.EPOCH.plus(row.getLong(column), ChronoUnit.MICROS));

    private final Sql acquire;
    private final Sql extend;
    private final Sql release;
    private final Sql releaseAfter;
    private final LockStore store;
    private final long lockTimeoutSeconds;

    MariaDbLocks(LockStore store) {
        this(store, SQL.with(store.table()::in));
    }

    private MariaDbLocks(LockStore store, SqlFile sql) {
        super(ROWS, sql);
        this.acquire = sql.sql("acquire");
        this.extend = sql.sql("extend");
        this.release = sql.sql("release");
        this.releaseAfter = sql.sql("release_after");
        this.store = store;
        this.lockTimeoutSeconds = lockTimeoutSeconds(store);
    }

    /**
     * Returns how long a row that somebody keeps locked is waited for: in whole seconds, as the server has it, and less than for
     * the answer if that is above a second.
     */
    static long lockTimeoutSeconds(LockStore store) {
        return lockTimeoutSeconds(store.answerLimit());
    }

    private static long lockTimeoutSeconds(Duration answerLimit) {
        return Math.max(1, answerLimit.toMillis() * 4 / 5 / 1000);
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        return RowConflict.retried(
                connection,
                MariaDbErrors::isConflict,
                same -> tryAcquire(same, request)
                        .orElseThrow(() -> MariaDbErrors.changed(
                                "the row of lock '" + request.key() + "' is not there any more")));
    }

    private Optional<Acquisition> tryAcquire(Connection connection, AcquireRequest request) throws SQLException {
        return acquire.one(
                connection,
                row -> outcome(request, row),
                ROWS.key(request.key()),
                request.lockId().text(),
                request.tokens(),
                request.holder().text(),
                request.ttlMillis(),
                lockTimeoutSeconds(store.limit(request.timeout())));
    }

    private static Acquisition outcome(AcquireRequest request, ResultSet row) throws SQLException {
        String heldBy = row.getString("lock_id");
        boolean runs = heldBy != null && row.getLong("expires_at") > row.getLong("now");
        if (request.lockId().text().equals(heldBy) && (runs || row.getBoolean("taken"))) {
            return new Granted(ROWS.grant(request.key(), row));
        }
        if (runs) {
            return LockRows.answer(request, ROWS.lease(request.key(), row));
        }
        Checks.tokensLeft(request, row.getLong("last_fence"));
        // It was free when we tried, another was faster, and is gone already.
        return new Contended(Duration.ZERO, Optional.empty());
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return extend.one(
                connection,
                row -> ROWS.time(row, "expires_at"),
                ROWS.key(key),
                lockId.text(),
                ttlMillis,
                lockTimeoutSeconds(store.extensionLimit(ttlMillis)));
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        return release.one(connection, row -> row.getBoolean(1), ROWS.key(key), lockId.text(), lockTimeoutSeconds)
                .orElse(false);
    }

    @Override
    public boolean releaseAfter(Connection connection, LockKey key, LockId lockId, long restMillis)
            throws SQLException {
        return releaseAfter
                .one(connection, row -> row.getBoolean(1), ROWS.key(key), lockId.text(), restMillis, lockTimeoutSeconds)
                .orElse(false);
    }
}
