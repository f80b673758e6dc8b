package io.fenceline.benchmarks.guards;

import static io.fenceline.jdbc.guard.Columns.set;

import io.fenceline.FenceStamp;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.jdbc.guard.FencedStream;
import io.fenceline.jdbc.guard.FencedTable;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** A row of an account for each thread, and a stream. */
final class SqlPairs {

    static final String SCHEMA = """
            CREATE TABLE IF NOT EXISTS account (
                id BIGINT PRIMARY KEY, balance BIGINT NOT NULL, last_fence BIGINT NOT NULL DEFAULT 0);
            CREATE TABLE IF NOT EXISTS journal (
                stream VARCHAR(40) NOT NULL, position BIGINT NOT NULL, payload VARCHAR(40), PRIMARY KEY (stream, position));
            """;

    private static final byte[] PAYLOAD = new byte[32];
    private static final String TEXT = "x".repeat(32);

    private final DataSource source;
    private final FenceStamp stamp;
    private final FencedTable accounts = FencedTable.of("account", "id", "last_fence");
    private final JdbcFenceGuard guard;
    private final FencedStream stream;
    private final AtomicLong number = new AtomicLong();

    private SqlPairs(DataSource source, FenceStamp stamp) {
        this.source = source;
        this.stamp = stamp;
        this.guard = JdbcFenceGuard.on(source);
        this.stream = FencedStream.on(source);
    }

    static List<Pair> on(Store store, DataSource source, FenceStamp stamp, int threads) throws SQLException {
        SqlPairs pairs = new SqlPairs(source, stamp);
        pairs.guard.schema().installSchema();
        pairs.stream.schema().installSchema();
        for (int thread = 0; thread < threads; thread++) {
            pairs.execute("INSERT INTO account (id, balance) VALUES (" + thread + ", 0)");
        }
        return List.of(
                new Pair(store, "fence column", "an UPDATE", pairs::update, pairs::updateFenced),
                new Pair(store, "fence table", "a transaction with an UPDATE", pairs::transaction, pairs::guarded),
                new Pair(store, "stream", "an INSERT", pairs::insert, pairs::append));
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    private void update(int thread) throws SQLException {
        try (Connection connection = source.getConnection()) {
            update(connection, thread);
        }
    }

    private int update(Connection connection, int thread) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
            update.setLong(1, number.incrementAndGet());
            update.setLong(2, thread);
            return update.executeUpdate();
        }
    }

    private void updateFenced(int thread) throws SQLException {
        try (Connection connection = source.getConnection()) {
            accounts.update(connection, (long) thread, stamp, set("balance", number.incrementAndGet()));
        }
    }

    private void transaction(int thread) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            update(connection, thread);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private void guarded(int thread) throws SQLException {
        guard.write("account:" + thread, stamp, connection -> update(connection, thread));
    }

    private void insert(int thread) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO journal (stream, position, payload) VALUES (?, ?, ?)")) {
            insert.setString(1, "stream:" + thread);
            insert.setLong(2, number.incrementAndGet());
            insert.setString(3, TEXT);
            insert.executeUpdate();
        }
    }

    private void append(int thread) {
        stream.append("stream:" + thread, stamp, PAYLOAD);
    }
}
