package io.fenceline.jdbc.catalog;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.jdbc.dialect.LockRows;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RunningLease;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Lists a store's leases and puts things right by hand. A product adds how it changes a row and records that in one step. */
public abstract class TableLockCatalog implements LockCatalog {

    private static final String COUNTER = """
            SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1 AND last_fence > 0""";

    private final LockStore store;
    private final LockRows rows;
    private final Sql list;

    /**
     * Creates the catalog.
     *
     * @param store where the locks are
     * @param rows reads its rows
     * @param list the query of the running leases whose keys begin with {@code ?1}, {@code ?2} at most, in the order of their
     *     bytes
     */
    protected TableLockCatalog(LockStore store, LockRows rows, String list) {
        this.store = store;
        this.rows = rows;
        this.list = sql(list);
    }

    /**
     * Raises the greatest token of a key, and records that if it changes anything.
     *
     * @param connection commits by itself
     * @param key the key
     * @param atLeast the token
     * @param by who does it
     * @return the greatest token now
     * @throws SQLException if the database refuses or does not answer
     */
    protected abstract FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException;

    /**
     * Ends the lease of a key, spends a token, and records that.
     *
     * @param connection commits by itself
     * @param key the key
     * @param by who does it
     * @return the lease; empty if none runs
     * @throws SQLException if the database refuses or does not answer
     */
    protected abstract Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException;

    /**
     * A lease that was to be ended.
     *
     * @param lease the lease
     * @param hasEnded false if there was no token to spend, and nothing was changed
     */
    public record Ended(RunningLease lease, boolean hasEnded) {}

    @Override
    public final List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        return store
                .database()
                .read(
                        connection -> list.readable(connection, rows::lease, rows.key(LockKey.prefix(prefix)), limit),
                        List.<RunningLease>of())
                .stream()
                .map(lease -> lease.record(store.redaction()))
                .toList();
    }

    @Override
    public final Optional<FencingToken> lastToken(LockKey key) {
        return store.database()
                .read(
                        connection -> sql(COUNTER).one(connection, TableLockCatalog::token, rows.key(key)),
                        Optional.empty());
    }

    @Override
    public final FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return store.database().change(connection -> raise(connection, key, atLeast, by));
    }

    @Override
    public final Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        if (lastToken(key).isEmpty()) {
            return Optional.empty(); // and makes no tables
        }
        Optional<Ended> ended = store.database().change(connection -> end(connection, key, by));
        if (ended.isPresent() && !ended.get().hasEnded()) {
            throw Checks.noTokenLeft(key);
        }
        return ended.map(lease -> lease.lease().record(store.redaction()));
    }

    /**
     * Returns a statement on this store's tables.
     *
     * @param text the statement
     * @return the statement with the names of the tables
     */
    protected final Sql sql(String text) {
        return new Sql(store.table().in(text));
    }

    /**
     * Reads a token; one beyond the greatest token, set by hand, counts as used up.
     *
     * @param row a row whose first column it is
     * @return the token
     * @throws SQLException if the row has no such column
     */
    protected static FencingToken token(ResultSet row) throws SQLException {
        return FencingToken.of(Math.min(row.getLong(1), FencingToken.MAX_VALUE));
    }
}
