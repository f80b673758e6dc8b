package io.fenceline.jdbc.product;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.jdbc.sql.RowReader;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Lists a store's leases and puts things right by hand. A product adds how it changes a row and records that in one step. */
public abstract class TableLockCatalog implements LockCatalog {

    private final LockStore store;
    private final RowReader<RunningLease> lease;
    private final RowReader<LockKey> key;
    private final Function<String, Object> prefix;
    private final Function<LockKey, Object> counterKey;
    private final SqlFile sql;
    private final Sql list;
    private final Sql tokens;
    private final Sql counter;

    /** Creates the catalog of a store, whose table has the names of {@code rows}. */
    protected TableLockCatalog(LockStore store, LockRows rows, SqlFile sql) {
        this(store, rows::lease, rows::key, rows::key, rows::key, sql.with(store.table()::in));
    }

    /**
     * Creates the catalog.
     *
     * @param lease reads a row of {@code list}
     * @param key reads the key of a row of {@code tokens}
     * @param prefix makes the value of a prefix or a key, for {@code list} and {@code tokens}
     * @param counterKey makes the value of a key, for {@code counter}
     * @param sql with the statements {@code list} (leases whose keys begin with {@code ?1}, {@code ?2} at most), {@code tokens}
     *     (keys and greatest tokens of those that begin with {@code ?1} and come after {@code ?2}) and {@code counter}
     */
    protected TableLockCatalog(
            LockStore store,
            RowReader<RunningLease> lease,
            RowReader<LockKey> key,
            Function<String, Object> prefix,
            Function<LockKey, Object> counterKey,
            SqlFile sql) {
        this.store = store;
        this.lease = lease;
        this.key = key;
        this.prefix = prefix;
        this.counterKey = counterKey;
        this.sql = sql;
        this.list = sql.sql("list");
        this.tokens = sql.sql("tokens");
        this.counter = sql.sql("counter");
    }

    /** Raises the greatest token of a key, records that if it changes anything, and returns the greatest token now. */
    protected abstract FencingToken raise(Connection connection, LockKey key, FencingToken atLeast, Holder by)
            throws SQLException;

    /** Ends the lease of a key, spends a token, and records that. Returns the lease; empty if none runs. */
    protected abstract Optional<Ended> end(Connection connection, LockKey key, Holder by) throws SQLException;

    /** A lease that was to be ended. It was not if there was no token to spend; then nothing was changed. */
    public record Ended(RunningLease lease, boolean hasEnded) {}

    @Override
    public final List<LockRecord> list(String start, int limit) {
        Checks.limit(limit);
        return store
                .database()
                .read(
                        connection -> list.readable(connection, lease, prefix.apply(LockKey.prefix(start)), limit),
                        List.<RunningLease>of())
                .stream()
                .map(lease -> lease.record(store.redaction()))
                .toList();
    }

    @Override
    public final List<KeyToken> tokens(String start, String after, int limit) {
        Checks.limit(limit);
        Object first = prefix.apply(LockKey.prefix(start));
        Object last = prefix.apply(LockKey.prefix(after));
        return store.database()
                .read(connection -> tokens.readable(connection, this::keyToken, first, last, limit), List.of());
    }

    private KeyToken keyToken(ResultSet row) throws SQLException {
        return new KeyToken(key.read(row), capped(row.getLong("last_fence")));
    }

    @Override
    public final Optional<FencingToken> lastToken(LockKey key) {
        return store.database()
                .read(
                        connection -> counter.one(connection, TableLockCatalog::token, counterKey.apply(key)),
                        Optional.empty());
    }

    @Override
    public final FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return store.database().change(connection -> raise(connection, key, atLeast, by));
    }

    @Override
    public final Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        if (!wasGranted(key)) {
            return Optional.empty(); // and makes no tables
        }
        Optional<Ended> ended = store.database().change(connection -> end(connection, key, by));
        if (ended.isPresent() && !ended.get().hasEnded()) {
            throw Checks.noTokenLeft(key);
        }
        return ended.map(done -> done.lease().record(store.redaction()));
    }

    /** Tells whether a key may have a lease; false where it has no counter, unless overridden. */
    protected boolean wasGranted(LockKey key) {
        return lastToken(key).isPresent();
    }

    /** Returns a statement on this store's tables. */
    protected final Sql sql(String name) {
        return sql.sql(name);
    }

    /** Reads a token from the first column; one beyond the greatest token, set by hand, counts as used up. */
    protected static FencingToken token(ResultSet row) throws SQLException {
        return capped(row.getLong(1));
    }

    private static FencingToken capped(long value) {
        return FencingToken.of(Math.min(value, FencingToken.MAX_VALUE));
    }
}
