package io.fenceline.jdbc.postgresql;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockRows;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.LockTable;
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
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
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

    private final Sql acquire;
    private final Sql extend;
    private final Sql release;
    private final Sql releaseAfter;
    private final LockStore store;
    private final LockTable table;
    private final String lockTimeout;

    PostgresLocks(LockStore store) {
        this(store, SQL.with(store.table()::in));
    }

    private PostgresLocks(LockStore store, SqlFile sql) {
        super(ROWS, sql);
        this.store = store;
        this.table = store.table();
        this.acquire = sql.sql("acquire");
        this.extend = sql.sql("extend");
        this.release = sql.sql("release");
        this.releaseAfter = sql.sql("release_after");
        this.lockTimeout = store.lockTimeout();
    }

    @Override
    public Acquisition acquire(Connection connection, AcquireRequest request) throws SQLException {
        try {
            List<Answer> answers = acquire.all(
                    connection,
                    row -> Answer.read(request, row),
                    request.key().value(),
                    request.lockId().text(),
                    request.tokens(),
                    request.holder().text(),
                    request.ttlMillis(),
                    store.lockTimeout(request.timeout()));
            Optional<Acquisition> outcome = answers.stream()
                    .flatMap(answer -> answer.outcome().stream())
                    .findFirst();
            if (outcome.isPresent()) {
                return outcome.get();
            }
            answers.forEach(answer -> Checks.tokensLeft(request, answer.lastFence()));
        } catch (SQLException e) {
            // Stricter isolation levels refuse to judge a row that has changed.
            if (isConflict(e)) {
                return standing(connection, request).orElseThrow(() -> e);
            }
            throw e;
        }
        // The lock was free and another was faster. Its grant may be invisible until the commit is done, so how long it
        // runs is
        // unknown; a lease like ours makes the caller poll instead of asking again at once.
        return standing(connection, request).orElse(new Contended(request.ttl(), Optional.empty()));
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
        return RowConflict.retried(
                connection,
                PostgresLocks::isConflict,
                same -> release.one(
                                same,
                                row -> true,
                                key.value(),
                                lockId.text(),
                                signal.number(),
                                signal.channel(),
                                lockTimeout)
                        .isPresent());
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

    /**
     * A row of the answer.
     *
     * @param outcome empty if no lease ran when the statement began; whether this one got the lock is then in another row
     * @param lastFence the greatest token spent, if the outcome is empty
     */
    private record Answer(Optional<Acquisition> outcome, long lastFence) {

        static Answer read(AcquireRequest request, ResultSet row) throws SQLException {
            if (row.getBoolean("granted")) {
                return new Answer(Optional.of(new Granted(ROWS.grant(request.key(), row))), 0);
            }
            if (!row.getBoolean("runs")) {
                return new Answer(Optional.empty(), row.getLong("last_fence"));
            }
            return new Answer(Optional.of(LockRows.answer(request, ROWS.lease(request.key(), row))), 0);
        }
    }
}
