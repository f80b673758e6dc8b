package io.fenceline.jdbc.postgresql;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockRows;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.TableLocks;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
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

    private final PostgresAcquire acquire;
    private final PostgresStatement extend;
    private final PostgresStatement release;
    private final PostgresStatement releaseAfter;
    private final LockTable table;
    private final String lockTimeout;
    private final LockStore store;

    PostgresLocks(LockStore store) {
        this(store, SQL.with(store.table()::in));
    }

    private PostgresLocks(LockStore store, SqlFile sql) {
        super(ROWS, sql);
        this.table = store.table();
        this.acquire = new PostgresAcquire(store, sql);
        this.extend = new PostgresStatement(sql, "extend");
        this.release = new PostgresStatement(sql, "release");
        this.releaseAfter = new PostgresStatement(sql, "release_after");
        this.lockTimeout = store.lockTimeout();
        this.store = store;
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        Optional<Acquisition> outcome = acquire.attempt(connection, request);
        return outcome.isPresent()
                ? outcome.get()
                : standing(connection, request).orElseGet(() -> PostgresAcquire.fasterOne(request));
    }

    /** Looks again: a statement sees nothing of what was committed after it began. */
    private Optional<Acquisition> standing(Connection connection, AcquireRequest request) throws SQLException {
        return running(connection, request.key()).map(lease -> LockRows.answer(request, lease));
    }

    @Override
    public Optional<Instant> extend(Connection connection, LockKey key, LockId lockId, long ttlMillis)
            throws SQLException {
        return extend.one(
                connection,
                row -> ROWS.time(row, "expires_at"),
                key.value(),
                lockId.text(),
                ttlMillis,
                store.lockTimeout(store.extensionLimit(ttlMillis)));
    }

    @Override
    public boolean release(Connection connection, LockKey key, LockId lockId) throws SQLException {
        SignalId signal = SignalId.of(table, key);
        return release.one(
                        connection,
                        row -> true,
                        key.value(),
                        lockId.text(),
                        signal.number(),
                        signal.channel(),
                        lockTimeout)
                .isPresent();
    }

    @Override
    public boolean releaseAfter(Connection connection, LockKey key, LockId lockId, long restMillis)
            throws SQLException {
        SignalId signal = SignalId.of(table, key);
        return releaseAfter
                .one(
                        connection,
                        row -> true,
                        key.value(),
                        lockId.text(),
                        restMillis,
                        signal.number(),
                        signal.channel(),
                        lockTimeout)
                .isPresent();
    }
}
