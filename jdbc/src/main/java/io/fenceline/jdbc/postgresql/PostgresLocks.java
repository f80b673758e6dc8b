package io.fenceline.jdbc.postgresql;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockRows;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.TableLocks;
import io.fenceline.jdbc.product.WaiterSignals;
import io.fenceline.jdbc.sql.RowConflict;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.jdbc.sql.SqlWork;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.time.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * Locking in single statements. All settings are made with {@code set_config(…, true)} within the statement that needs them and
 * end with it, so that connections may be shared behind a transaction-mode pooler.
 */
final class PostgresLocks extends TableLocks {

    static final SqlFile SQL = SqlFile.of(PostgresLocks.class, "lock-statements.sql");

    static final LockRows ROWS = LockRows.ofText(
            (row, column) -> row.getObject(column, OffsetDateTime.class).toInstant());

    private static final String CONFLICT = "40001";

    private final PostgresAcquire acquire;
    private final Sql extend;
    private final SchemaCall releaseFunction = new SchemaCall(Ticker.system());
    private final Sql callRelease;
    private final Sql release;
    private final Sql releaseAfter;
    private final LockTable table;
    private final String lockTimeout;
    private final Optional<WaiterSignals> signals;

    PostgresLocks(LockStore store, Optional<WaiterSignals> signals) {
        this(store, signals, SQL.with(store.table()::in));
    }

    private PostgresLocks(LockStore store, Optional<WaiterSignals> signals, SqlFile sql) {
        super(ROWS, sql);
        this.signals = signals;
        this.table = store.table();
        this.acquire = new PostgresAcquire(store, sql);
        this.extend = sql.sql("extend");
        this.callRelease = sql.sql("call_release");
        this.release = sql.sql("release");
        this.releaseAfter = sql.sql("release_after");
        this.lockTimeout = store.lockTimeout();
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        int listener = request.maxWait().isZero() ? 0 : listener(request.key());
        if (listener != 0) {
            return RowConflict.retried(
                            connection, PostgresLocks::isConflict, same -> acquire.attempt(same, request, listener))
                    .orElseGet(() -> PostgresAcquire.fasterOne(request));
        }
        try {
            Optional<Acquisition> outcome = acquire.attempt(connection, request, 0);
            if (outcome.isPresent()) {
                return outcome.get();
            }
        } catch (SQLException e) {
            // Stricter isolation levels refuse to judge a row that has changed.
            if (isConflict(e)) {
                return standing(connection, request).orElseThrow(() -> e);
            }
            throw e;
        }
        return standing(connection, request).orElseGet(() -> PostgresAcquire.fasterOne(request));
    }

    /** Who of this process hears of a hand-over of a lock; 0 if nobody does. */
    int listener(LockKey key) {
        return signals.map(known -> known.listener(key)).orElse(0);
    }

    static boolean isConflict(SQLException e) {
        return CONFLICT.equals(e.getSQLState());
    }

    /** Looks again: a statement sees nothing of what was committed after it began. */
    private Optional<Acquisition> standing(Connection connection, AcquireRequest request) throws SQLException {
        return running(connection, request.key()).map(lease -> LockRows.answer(request, lease));
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return RowConflict.retried(
                connection,
                PostgresLocks::isConflict,
                same -> extend.one(
                        same, row -> ROWS.time(row, "expires_at"), key.value(), lockId.text(), ttlMillis, lockTimeout));
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        SignalId signal = SignalId.of(table, key);
        Object[] values = {key.value(), lockId.text(), signal.number(), signal.channel(), lockTimeout};
        SqlWork<Boolean> alone = same -> release.one(same, row -> true, values).isPresent();
        // Where this process waited for the lock a moment ago, others may wait for it now.
        SqlWork<Boolean> work = listener(key) == 0
                ? alone
                : same -> releaseFunction.run(
                        () -> callRelease
                                .one(same, row -> row.getBoolean(1), values)
                                .orElseThrow(),
                        () -> alone.on(same));
        return RowConflict.retried(connection, PostgresLocks::isConflict, work);
    }

    @Override
    public boolean releaseAfter(Connection connection, LockKey key, LockId lockId, long restMillis)
            throws SQLException {
        SignalId signal = SignalId.of(table, key);
        return RowConflict.retried(
                connection,
                PostgresLocks::isConflict,
                same -> releaseAfter
                        .one(
                                same,
                                row -> true,
                                key.value(),
                                lockId.text(),
                                restMillis,
                                signal.number(),
                                signal.channel(),
                                lockTimeout)
                        .isPresent());
    }
}
