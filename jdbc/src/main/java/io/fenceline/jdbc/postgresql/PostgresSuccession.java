package io.fenceline.jdbc.postgresql;

import io.fenceline.LockId;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.SuccessionStatement;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Checks;
import io.fenceline.time.Ticker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Passes a lock on within a process, in one statement that waits for the disk once. */
final class PostgresSuccession implements SuccessionStatement {

    private final PostgresLocks locks;
    private final LockStore store;
    private final SchemaCall function = new SchemaCall(Ticker.system());
    private final PostgresStatement call;
    private final PostgresStatement statement;
    private final Sql standing;

    PostgresSuccession(LockStore store) {
        this.locks = new PostgresLocks(store);
        this.store = store;
        SqlFile sql = PostgresLocks.SQL.with(store.table()::in);
        this.call = new PostgresStatement(sql, "call_succeed");
        this.statement = new PostgresStatement(sql, "succeed");
        this.standing = sql.sql("standing");
    }

    @Override
    public Outcome succeed(Connection connection, LockId last, AcquireRequest next, boolean yielding, int listener)
            throws SQLException {
        SignalId signal = SignalId.of(store.table(), next.key());
        Object[] values = {
            next.key().value(),
            last.text(),
            next.lockId().text(),
            next.tokens(),
            next.holder().text(),
            next.ttlMillis(),
            store.lockTimeout(),
            yielding,
            signal.number(),
            signal.channel(),
            listener
        };
        Optional<Outcome> outcome = function.run(
                () -> call.one(connection, row -> outcome(next, row), values),
                () -> statement.one(connection, row -> outcome(next, row), values));
        if (outcome.isPresent()) {
            return outcome.get();
        }
        // The lease was over, or no token is left.
        standing.one(connection, row -> row.getLong(1), next.key().value(), last.text())
                .ifPresent(lastFence -> Checks.tokensLeft(next, lastFence));
        return new Outcome(false, locks.acquire(connection, next));
    }

    private static Outcome outcome(AcquireRequest next, ResultSet row) throws SQLException {
        long fence = row.getLong("fence");
        if (fence == 0) {
            return new Outcome(true, Optional.empty(), row.getInt("others"), row.getLong("last_fence"));
        }
        return new Outcome(true, PostgresAcquire.granted(next, row));
    }
}
