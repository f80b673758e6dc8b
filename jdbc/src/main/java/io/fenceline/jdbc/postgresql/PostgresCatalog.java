package io.fenceline.jdbc.postgresql;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.TableLockCatalog;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Lists a store's leases and puts things right by hand. Every change is one statement with its audit record, so that an
 * operator's program that is stopped in the middle keeps no lock on a row.
 */
final class PostgresCatalog extends TableLockCatalog {

    private final LockStore store;

    PostgresCatalog(LockStore store) {
        super(store, PostgresLocks.ROWS, PostgresLocks.SQL);
        this.store = store;
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        return sql("raise")
                .one(connection, TableLockCatalog::token, key.value(), atLeast.value(), by.text(), store.lockTimeout())
                .orElseThrow();
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        SignalId signal = SignalId.of(store.table(), key);
        return sql("force_release")
                .one(
                        connection,
                        row -> new Ended(PostgresLocks.ROWS.lease(row), row.getBoolean("has_ended")),
                        key.value(),
                        by.text(),
                        signal.number(),
                        signal.channel(),
                        store.lockTimeout());
    }
}
