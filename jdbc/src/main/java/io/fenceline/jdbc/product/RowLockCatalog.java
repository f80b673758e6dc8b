package io.fenceline.jdbc.product;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.sql.RowConflict;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.jdbc.sql.SqlWork;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand, each change with its record in one transaction. */
final class RowLockCatalog extends TableLockCatalog {

    private final FenceDialect errors;

    /**
     * Creates the catalog.
     *
     * @param errors tells which errors mean that another was faster
     */
    RowLockCatalog(LockStore store, FenceDialect errors, SqlFile sql) {
        super(store, RowLocks.ROWS, sql);
        this.errors = errors;
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        SqlWork<FencingToken> work = transaction -> {
            long before = locked(transaction, key).map(Locked::lastFence).orElse(0L);
            if (before >= atLeast.value()) {
                return FencingToken.of(Math.min(before, FencingToken.MAX_VALUE));
            }
            sql("raise").run(transaction, RowLocks.ROWS.key(key), atLeast.value(), by.text());
            FencingToken raised = sql("counter")
                    .one(transaction, TableLockCatalog::token, RowLocks.ROWS.key(key))
                    .orElseThrow();
            record(transaction, key, by, "raise", before, raised.value());
            return raised;
        };
        return RowConflict.retried(connection, errors::isRowConflict, work.inTransaction());
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        SqlWork<Optional<Ended>> work = transaction -> {
            Optional<Locked> locked = locked(transaction, key);
            if (locked.isEmpty() || locked.get().lease().isEmpty()) {
                return Optional.empty();
            }
            long before = locked.get().lastFence();
            boolean hasEnded = before < FencingToken.MAX_VALUE;
            if (hasEnded) {
                sql("end").run(transaction, RowLocks.ROWS.key(key));
                record(transaction, key, by, "force-release", before, before + 1);
            }
            return locked.get().lease().map(lease -> new Ended(lease, hasEnded));
        };
        return RowConflict.retried(connection, errors::isRowConflict, work.inTransaction());
    }

    /** Changes nothing, since that locks the row on every product. */
    private Optional<Locked> locked(Connection connection, LockKey key) throws SQLException {
        sql("lock").run(connection, RowLocks.ROWS.key(key));
        return sql("standing").one(connection, Locked::read, RowLocks.ROWS.key(key));
    }

    private void record(Connection connection, LockKey key, Holder by, String act, long before, long after)
            throws SQLException {
        sql("record").run(connection, RowLocks.ROWS.key(key), by.text(), act, before, after);
    }

    private record Locked(long lastFence, Optional<RunningLease> lease) {
        static Locked read(ResultSet row) throws SQLException {
            boolean runs = row.getString("lock_id") != null && row.getLong("expires_at") >= row.getLong("now");
            return new Locked(
                    row.getLong("last_fence"), runs ? Optional.of(RowLocks.ROWS.lease(row)) : Optional.empty());
        }
    }
}
