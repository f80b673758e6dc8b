package io.fenceline.cli.demo;

import io.fenceline.FenceStamp;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.Columns;
import io.fenceline.jdbc.guard.FencedTable;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteDataSource;

/** A balance in a table, shared by the workers of the demo. */
abstract sealed class Account implements AutoCloseable {

    private static final long ID = 7;

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

    /** Opens the table, guarded or not: the two halves of the demo differ in nothing else. */
    static Account open(String file, boolean guarded) throws SQLException {
        return guarded ? new Guarded(file) : new Unguarded(file);
    }

    /**
     * Writes the balance.
     *
     * @throws StaleTokenException if the guard refused it; nothing was written
     */
    abstract void write(long balance, FenceStamp stamp) throws SQLException;

    long balance() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 7")) {
            row.next();
            return row.getLong(1);
        }
    }

    final Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Accepts every write. */
    private static final class Unguarded extends Account {

        private Unguarded(String file) throws SQLException {
            super(file);
        }

        @Override
        void write(long balance, FenceStamp stamp) throws SQLException {
            try (PreparedStatement statement =
                    connection().prepareStatement("UPDATE account SET balance = ? WHERE id = 7")) {
                statement.setLong(1, balance);
                statement.executeUpdate();
            }
        }
    }

    /** Stores the highest token and refuses lower ones, in the transaction of the write. */
    private static final class Guarded extends Account {

        private static final FencedTable TABLE = FencedTable.of("account", "id", "last_fence");

        private Guarded(String file) throws SQLException {
            super(file);
            SQLiteDataSource source = new SQLiteDataSource();
            source.setUrl("jdbc:sqlite:" + file);
            JdbcFenceGuard.on(source).schema().installSchema();
        }

        @Override
        void write(long balance, FenceStamp stamp) throws SQLException {
            TABLE.update(connection(), ID, stamp, Columns.set("balance", balance));
        }
    }
}
