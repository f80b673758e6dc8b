package io.fenceline.jdbc.postgresql;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.TableLockCatalog;
import io.fenceline.jdbc.sql.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Lists a store's leases and puts things right by hand. Every change is one statement with its audit record, so that an
 * operator's program that is stopped in the middle keeps no lock on a row.
 */
final class PostgresCatalog extends TableLockCatalog {

    private final LockStore store;
    private final PostgresStatement raise;
    private final PostgresStatement forceRelease;

    PostgresCatalog(LockStore store) {
        super(store, PostgresLocks.ROWS, PostgresLocks.SQL);
        this.store = store;
        SqlFile sql = PostgresLocks.SQL.with(store.table()::in);
        this.raise = new PostgresStatement(sql, "raise");
        this.forceRelease = new PostgresStatement(sql, "force_release");
    }

    @Override
    protected FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        Optional<FencingToken> raised = tryRaise(connection, key, atLeast, by);
        return raised.isPresent()
                ? raised.get()
                : tryRaise(connection, key, atLeast, by).orElseThrow();
    }

    /** Empty if another made the row meanwhile, which stays. */
    private Optional<FencingToken> tryRaise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException {
        return raise.one(
                connection, TableLockCatalog::token, key.value(), atLeast.value(), by.text(), store.lockTimeout());
    }

    @Override
    protected Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException {
        SignalId signal = SignalId.of(store.table(), key);
        return forceRelease.one(
                connection,
                row -> new Ended(PostgresLocks.ROWS.lease(row), row.getBoolean("has_ended")),
                key.value(),
                by.text(),
                signal.number(),
                signal.channel(),
                store.lockTimeout());
    }
}
