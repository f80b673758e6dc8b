package io.fenceline.jdbc.mariadb;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RowReader;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.LockRecord;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand. Every change is one call, whose change and record are one transaction. */
final class MariaDbCatalog implements LockCatalog {

    /** No byte of a key is 255, so keys that begin with the prefix are all those between. */
    private static final String LIST = """
            SELECT held.*, %1$s AS now
              FROM fenceline_lock AS held
             WHERE held.lock_key >= ?1 AND held.lock_key < CONCAT(?1, X'FF')
               AND held.lock_id IS NOT NULL AND held.expires_at > %1$s
             ORDER BY held.lock_key LIMIT ?2""".formatted(MariaDbRows.NOW);

    private static final String COUNTER = """
            SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1 AND last_fence > 0""";

    private static final String RAISE = "CALL fenceline_lock_raise(?1, ?2, ?3, ?4)";
    private static final String FORCE_RELEASE = "CALL fenceline_lock_end(?1, ?2, ?3)";

    private final LockStore store;
    private final long patienceSeconds;

    MariaDbCatalog(LockStore store) {
        this.store = store;
        this.patienceSeconds = MariaDbLocks.patienceSeconds(store);
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ", at least 1 is needed");
        }
        return store
                .database()
                .read(
                        connection -> sql(LIST)
                                .readable(
                                        connection,
                                        MariaDbRows::lease,
                                        MariaDbRows.bytes(LockKey.prefix(prefix)),
                                        limit),
                        List.<RunningLease>of())
                .stream()
                .map(lease -> lease.record(store.redaction()))
                .toList();
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        return store.database()
                .read(
                        connection -> sql(COUNTER).one(connection, MariaDbCatalog::token, MariaDbRows.bytes(key)),
                        Optional.empty());
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return store.database()
                .change(connection -> call(
                        RAISE,
                        connection,
                        MariaDbCatalog::token,
                        MariaDbRows.bytes(key),
                        atLeast.value(),
                        by.text(),
                        patienceSeconds))
                .orElseThrow();
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        Optional<Ended> ended = store.database()
                .change(connection -> call(
                        FORCE_RELEASE, connection, Ended::read, MariaDbRows.bytes(key), by.text(), patienceSeconds));
        if (ended.isPresent() && !ended.get().hasEnded()) {
            throw new BackendException(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "lock '" + key + "' has no token left to spend, so its lease is left to run out",
                    null);
        }
        return ended.map(lease -> lease.lease().record(store.redaction()));
    }

    /** A call that is killed does not come to its own rollback; what it began must not stay on a connection that is shared. */
    private <T> Optional<T> call(String text, Connection connection, RowReader<T> reader, Object... values)
            throws SQLException {
        try {
            return sql(text).one(connection, reader, values);
        } catch (SQLException e) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("ROLLBACK");
            } catch (SQLException broken) {
                e.addSuppressed(broken);
            }
            throw e;
        }
    }

    private Sql sql(String text) {
        return new Sql(store.table().in(text));
    }

    private static FencingToken token(ResultSet row) throws SQLException {
        return FencingToken.of(Math.min(row.getLong(1), FencingToken.MAX_VALUE));
    }

    private record Ended(RunningLease lease, boolean hasEnded) {
        static Ended read(ResultSet row) throws SQLException {
            return new Ended(MariaDbRows.lease(row), row.getBoolean("has_ended"));
        }
    }
}
