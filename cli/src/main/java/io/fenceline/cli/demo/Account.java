package io.fenceline.cli.demo;

import io.fenceline.FencingToken;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** A balance in a table: the data that the workers of the demo share. */
abstract sealed class Account implements AutoCloseable {

    private final Connection connection;

    private Account(String file) throws SQLException {
        connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 5000");
            statement.execute("""
                    CREATE TABLE IF NOT EXISTS account (
                        id INTEGER PRIMARY KEY,
                        balance INTEGER NOT NULL,
                        last_fence INTEGER NOT NULL DEFAULT 0)
                    """);
            statement.execute("INSERT OR IGNORE INTO account (id, balance) VALUES (7, 100)");
        }
    }

    /** Opens the table; whether it is guarded is what the two halves of the demo differ in. */
    static Account open(String file, boolean guarded) throws SQLException {
        return guarded ? new Guarded(file) : new Unguarded(file);
    }

    /**
     * Writes the balance.
     *
     * @return the token that refused it, if one did; then nothing was written
     */
    abstract Optional<FencingToken> write(long balance, FencingToken token) throws SQLException;

    long balance() throws SQLException {
        return number("SELECT balance FROM account WHERE id = 7");
    }

    final int update(String sql, long... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setLong(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    final long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Believes every writer. */
    private static final class Unguarded extends Account {

        private Unguarded(String file) throws SQLException {
            super(file);
        }

        @Override
        Optional<FencingToken> write(long balance, FencingToken token) throws SQLException {
            update("UPDATE account SET balance = ? WHERE id = 7", balance);
            return Optional.empty();
        }
    }

    /** Remembers the highest token and refuses older ones, in the same statement as the write. */
    private static final class Guarded extends Account {

        private Guarded(String file) throws SQLException {
            super(file);
        }

        @Override
        Optional<FencingToken> write(long balance, FencingToken token) throws SQLException {
            int written = update(
                    "UPDATE account SET balance = ?, last_fence = ? WHERE id = 7 AND last_fence <= ?",
                    balance,
                    token.value(),
                    token.value());
            return written == 1
                    ? Optional.empty()
                    : Optional.of(FencingToken.of(number("SELECT last_fence FROM account WHERE id = 7")));
        }
    }
}
