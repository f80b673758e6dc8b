package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.ResourceName;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.transaction.GuardSchema;
import io.fenceline.jdbc.transaction.Transactions;
import io.fenceline.spi.Checks;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Logs that only grow, each appended to by one holder at a time. Along a stream tokens never fall: an append with a smaller
 * token than the stream has seen is refused.
 *
 * <p>A stream's fence is that of the resource of the same name, so it can be claimed, and entered together with other writes in
 * one transaction. Positions are counted from 1 without gaps, under the fence, so who reads on from a position misses nothing:
 * no entry appears before one that was seen.
 */
public final class FencedStream {

    private static final String LAST = """
            SELECT coalesce(max(position), 0) FROM fenceline_fences_stream WHERE stream = ?1""";

    private static final String ENTRY = """
            SELECT position FROM fenceline_fences_stream WHERE stream = ?1 AND position = ?2""";

    private static final String APPEND = """
            INSERT INTO fenceline_fences_stream (stream, position, token, payload) VALUES (?, ?, ?, ?)""";

    private static final String PURGE = """
            DELETE FROM fenceline_fences_stream WHERE stream = ?1 AND position < ?2""";

    private static final String READ = """
            SELECT position, token, payload FROM fenceline_fences_stream
             WHERE stream = ?1 AND position >= ?2 ORDER BY position LIMIT ?3""";

    private final Transactions transactions;
    private final JdbcFenceGuard guard;
    private final FenceTable table;
    private final Sql last;
    private final String append;
    private final Sql read;
    private final Sql purge;

    private FencedStream(DataSource source, GuardOptions options) {
        this.transactions = options.transactions(source);
        this.guard = JdbcFenceGuard.on(source, options);
        this.table = new FenceTable(options.table());
        this.last = new Sql(table.in(LAST));
        this.append = table.in(APPEND);
        this.read = new Sql(table.in(READ));
        this.purge = new Sql(table.in(PURGE));
    }

    /**
     * Returns the streams of a database with the default options. Does not connect yet.
     *
     * @param source gives connections; never closed here
     * @return the streams
     */
    public static FencedStream on(DataSource source) {
        return on(source, GuardOptions.defaults());
    }

    /**
     * Returns the streams of a database. Does not connect yet.
     *
     * @param source gives connections; never closed here
     * @param options how the guard works. Under {@link io.fenceline.guard.FenceRule#ONCE} a grant appends once, a batch perhaps
     * @return the streams
     */
    public static FencedStream on(DataSource source, GuardOptions options) {
        return new FencedStream(source, options);
    }

    /**
     * Appends one entry, in a transaction of its own.
     *
     * @param stream the stream's name, with the rules of {@link ResourceName}
     * @param stamp the writer's key and token
     * @param payload any bytes
     * @return the entry's position
     * @throws StaleTokenException if the stream has seen a greater token; it names both
     * @throws ForeignTokenException if the stream belongs to another lock key
     * @throws BackendException if the database fails. When the effect is {@link io.fenceline.Effect#UNKNOWN} the entry may be
     *     there: read on from the last known position before repeating
     */
    public long append(String stream, FenceStamp stamp, byte[] payload) {
        return append(stream, stamp, List.of(payload));
    }

    /**
     * Appends several entries one after another, all or none, in a transaction of their own.
     *
     * @param stream the stream's name, with the rules of {@link ResourceName}
     * @param stamp the writer's key and token
     * @param payloads any bytes
     * @return the position of the last
     * @throws StaleTokenException if the stream has seen a greater token; it names both
     * @throws ForeignTokenException if the stream belongs to another lock key
     * @throws BackendException as for one entry
     */
    public long append(String stream, FenceStamp stamp, List<byte[]> payloads) {
        String name = ResourceName.of(stream).value();
        return guard.writeOwn(
                name, stamp, connection -> add(connection, name, stamp, payloads, last(connection, name)));
    }

    /**
     * Appends in a transaction of the caller's, after it has entered the stream's fence. On MariaDB and MySQL, at their default isolation level,
     * call it, or {@link JdbcFenceGuard#enter}, before the transaction reads anything at all. Where others have appended after that first read it
     * fails, but not where the stream was empty for it and was purged since: then an entry is put before others that were seen.
     *
     * @param connection in a transaction
     * @param stream the stream's name, with the rules of {@link ResourceName}
     * @param stamp the writer's key and token
     * @param payloads any bytes
     * @return the position of the last
     * @throws StaleTokenException if the stream has seen a greater token; the caller must roll back
     * @throws ForeignTokenException if the stream belongs to another lock key; the caller must roll back
     * @throws SQLException as {@link JdbcFenceGuard#enter} does
     */
    public long append(Connection connection, String stream, FenceStamp stamp, List<byte[]> payloads)
            throws SQLException {
        String name = ResourceName.of(stream).value();
        guard.enter(connection, name, stamp);
        long position = last(connection, name);
        ensureLatest(connection, name, position);
        return add(connection, name, stamp, payloads, position);
    }

    private long last(Connection connection, String stream) throws SQLException {
        Object name = transactions.product(connection).fences().key(stream);
        return last.one(connection, row -> row.getLong(1), name).orElseThrow();
    }

    /**
     * Fails if others have appended and purged since the snapshot that the transaction sees: the positions after the last one in it are
     * free again then, and that one is gone, since a purge deletes in order. An empty stream is not looked at, which would lock the place
     * of others' new entries.
     */
    private void ensureLatest(Connection connection, String stream, long position) throws SQLException {
        FenceDialect dialect = transactions.product(connection).fences();
        String latest = dialect.latest(ENTRY);
        boolean seesSnapshot = !latest.equals(ENTRY);
        if (seesSnapshot
                && position > 0
                && new Sql(table.in(latest))
                        .one(connection, row -> true, dialect.key(stream), position)
                        .isEmpty()) {
            throw outdated(stream, null);
        }
    }

    private static SQLException outdated(String stream, @Nullable SQLException cause) {
        return new SQLException(
                "the transaction had read before others appended to '" + stream + "'; enter the guard first",
                "40001",
                cause);
    }

    private long add(Connection connection, String stream, FenceStamp stamp, List<byte[]> payloads, long after)
            throws SQLException {
        Object name = transactions.product(connection).fences().key(stream);
        long position = after;
        try (PreparedStatement statement = connection.prepareStatement(append)) {
            for (byte[] payload : payloads) {
                position++;
                statement.setObject(1, name);
                statement.setLong(2, position);
                statement.setLong(3, stamp.token().value());
                statement.setBytes(4, payload);
                statement.addBatch();
            }
            statement.executeBatch();
        } catch (SQLException e) {
            if (transactions.product(connection).fences().isForestalled(e)) {
                throw outdated(stream, e);
            }
            throw e;
        }
        return position;
    }

    /**
     * Reads entries in their order.
     *
     * @param stream the stream's name, with the rules of {@link ResourceName}
     * @param from the first position, 1 for all
     * @param limit how many at most, at least 1
     * @return the entries; empty if there are none from there on
     * @throws BackendException if the database fails
     */
    public List<StreamEntry> read(String stream, long from, int limit) {
        Checks.limit(limit);
        String name = ResourceName.of(stream).value();
        return transactions.read(connection -> read.all(
                connection,
                row -> new StreamEntry(row.getLong(1), FencingToken.of(row.getLong(2)), row.getBytes(3)),
                transactions.product().fences().key(name),
                from,
                limit));
    }

    /**
     * Deletes the entries before a position, in a transaction of its own. The last entry always stays, since the next position
     * follows from it: to delete entries by plain SQL, leave it there too, or positions begin at 1 again and readers miss what
     * comes.
     *
     * @param stream the stream's name, with the rules of {@link ResourceName}
     * @param stamp the writer's key and token
     * @param before the first position that stays, if it is there
     * @return how many entries were deleted
     * @throws StaleTokenException if the stream has seen a greater token; it names both
     * @throws ForeignTokenException if the stream belongs to another lock key
     * @throws BackendException as for {@link #append(String, FenceStamp, byte[])}
     */
    public int purge(String stream, FenceStamp stamp, long before) {
        String name = ResourceName.of(stream).value();
        return guard.writeOwn(name, stamp, connection -> {
            Object key = transactions.product().fences().key(name);
            return purge.run(connection, key, Math.min(before, last(connection, name)));
        });
    }

    /**
     * Returns the guard of the streams, for claims and for looking.
     *
     * @return a guard whose resources are the streams' names
     */
    public FenceGuard guard() {
        return guard;
    }

    /**
     * Returns what prints, makes and checks the tables of fences and of streams.
     *
     * @return the schema
     * @throws BackendException if the database cannot be reached
     */
    public SchemaControl schema() {
        return new GuardSchema(transactions, table::in, "fences", "stream");
    }
}
