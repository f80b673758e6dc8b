package io.fenceline.sqlite;

import io.fenceline.jdbc.sql.RowReader;
import io.fenceline.jdbc.sql.SqlWork;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The statements of one connection, prepared once and kept. Used by the thread that holds the connection's lock. */
final class PreparedStatements implements AutoCloseable {

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    PreparedStatements(Connection connection) {
        this.connection = connection;
    }

    /** Runs a statement that returns one row or none. */
    <T> Optional<T> one(String sql, RowReader<T> reader, Object... values) throws SQLException {
        return all(sql, reader, values).stream().findFirst();
    }

    /**
     * Runs a statement to its end. One that writes commits in the step <em>after</em> its last row, and that may fail for a full disk: a
     * caller that stopped at the last row would take the failure for a commit.
     */
    <T> List<T> all(String sql, RowReader<T> reader, Object... values) throws SQLException {
        PreparedStatement statement = prepared(sql);
        try {
            return all(statement, reader, values);
        } catch (SQLException e) {
            prepared.remove(sql); // the driver closes it if its first step fails
            try (statement) {
                throw e;
            }
        }
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    private static <T> List<T> all(PreparedStatement statement, RowReader<T> reader, Object... values)
            throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        List<T> rows = new ArrayList<>(1);
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                rows.add(reader.read(result));
            }
        }
        return rows;
    }

    /** Runs statements that return nothing. */
    void run(String script) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(script);
        }
    }

    /** Lets readers and writers go on side by side; without it they would block each other. The file keeps the setting. */
    Optional<String> useWriteAheadLog() throws SQLException {
        return one("PRAGMA journal_mode = WAL", row -> row.getString(1));
    }

    /** Runs work that needs the connection itself and leaves it as it was. */
    <T> T with(SqlWork<T> work) throws SQLException {
        return work.on(connection);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
