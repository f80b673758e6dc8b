package io.fenceline.jdbc.trigger;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** An empty place for tables in a real database, used by plain JDBC as any program would. */
interface TriggerPlace extends AutoCloseable {

    /** Gives connections that know nothing of Fenceline; on SQLite with foreign keys on. */
    DataSource source();

    /** The table of fences. */
    String fences();

    /** Gets rid of connections, and of what the store keeps in memory where that can be had. */
    void restart();

    default void install(GuardedTable table) {
        with(connection -> {
            GuardedTables.install(connection, table, fences());
            return null;
        });
    }

    default void remove(String table) {
        with(connection -> {
            GuardedTables.remove(connection, table, fences());
            return null;
        });
    }

    /** Runs statements on a connection that commits by itself. */
    default void sql(String statements) {
        with(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.executeUpdate(statements);
            }
        });
    }

    default <T> T with(StampedCall<T> work) {
        try (Connection connection = source().getConnection()) {
            return work.call(connection);
        } catch (SQLException e) {
            throw new Refused(e);
        }
    }

    @Override
    void close();

    /** What a plain program sees. */
    final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(SQLException e) {
            super(e.getMessage(), e);
        }

        String sqlState() {
            return getCause() instanceof SQLException e ? String.valueOf(e.getSQLState()) : "";
        }
    }
}
