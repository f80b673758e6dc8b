package io.fenceline.jdbc.h2;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.RunningLease;
import io.fenceline.jdbc.product.TableLockCatalog;
import io.fenceline.jdbc.sql.SqlWork;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand, each change with its record in one transaction. */
final class H2Catalog extends TableLockCatalog {

    H2Catalog(LockStore store) {
        super(store, H2Locks.ROWS, H2Locks.SQL);
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        SqlWork<FencingToken> work = transaction -> {
            long before = sql("locked")
                    .one(transaction, row -> row.getLong("last_fence"), H2Locks.ROWS.key(key))
                    .orElse(0L);
            if (before >= atLeast.value()) {
                return FencingToken.of(Math.min(before, FencingToken.MAX_VALUE));
            }
            FencingToken raised = sql("raise")
                    .one(transaction, TableLockCatalog::token, H2Locks.ROWS.key(key), atLeast.value(), by.text())
                    .orElseThrow();
            record(transaction, key, by, "raise", before, raised.value());
            return raised;
        };
        return work.inTransaction().on(connection);
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        SqlWork<Optional<Ended>> work = transaction -> {
            Optional<Locked> locked = sql("locked").one(transaction, Locked::read, H2Locks.ROWS.key(key));
            if (locked.isEmpty() || locked.get().lease().isEmpty()) {
                return Optional.empty();
            }
            long before = locked.get().lastFence();
            boolean hasEnded = before < FencingToken.MAX_VALUE;
            if (hasEnded) {
                sql("end").one(transaction, TableLockCatalog::token, H2Locks.ROWS.key(key));
                record(transaction, key, by, "force-release", before, before + 1);
            }
            return locked.get().lease().map(lease -> new Ended(lease, hasEnded));
        };
        return work.inTransaction().on(connection);
    }

    private void record(Connection connection, LockKey key, Holder by, String act, long before, long after)
            throws SQLException {
        sql("record").one(connection, row -> true, H2Locks.ROWS.key(key), by.text(), act, before, after);
    }

    private record Locked(long lastFence, Optional<RunningLease> lease) {
        static Locked read(ResultSet row) throws SQLException {
            boolean runs = row.getString("lock_id") != null && row.getLong("expires_at") >= row.getLong("now");
            return new Locked(
                    row.getLong("last_fence"), runs ? Optional.of(H2Locks.ROWS.lease(row)) : Optional.empty());
        }
    }
}
