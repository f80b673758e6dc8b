package io.fenceline.jdbc.trigger;

import io.fenceline.FenceStamp;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Shows a stamp to the triggers of guarded tables, for one transaction.
 *
 * <p>One stamp counts at a time; setting another one within the transaction replaces it.
 */
public final class SessionStamp {

    private SessionStamp() {}

    /**
     * Lets the following writes of the running transaction be checked against a stamp.
     *
     * <p>On PostgreSQL the stamp ends with the transaction or with {@link #clear}. On SQLite it must be cleared before the
     * commit, which fails otherwise, and the connection must have been opened with foreign keys on ({@code
     * jdbc:sqlite:app.db?foreign_keys=on}).
     *
     * @param connection in a transaction
     * @param stamp the writer's key and token
     * @throws SQLException if the database refuses it
     * @throws IllegalStateException if auto-commit is on: the stamp would end before the write
     * @throws IllegalArgumentException if the product is not known
     */
    public static void set(Connection connection, FenceStamp stamp) throws SQLException {
        ensureInTransaction(connection);
        try (PreparedStatement statement =
                connection.prepareStatement(StampPlace.of(connection).setting())) {
            statement.setLong(1, stamp.token().value());
            statement.setString(2, stamp.key().value());
            statement.execute();
        }
    }

    /**
     * Lets the following writes of the running transaction be without a stamp. Harmless if there is none.
     *
     * @param connection in a transaction
     * @throws SQLException if the database refuses it, for instance since the transaction has failed and can only be rolled
     *     back; then it ends without a stamp anyway
     * @throws IllegalStateException if auto-commit is on
     * @throws IllegalArgumentException if the product is not known
     */
    public static void clear(Connection connection) throws SQLException {
        ensureInTransaction(connection);
        try (PreparedStatement statement =
                connection.prepareStatement(StampPlace.of(connection).clearing())) {
            statement.execute();
        }
    }

    private static void ensureInTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "auto-commit is on, so the stamp would end before the write; call setAutoCommit(false) first");
        }
    }
}
