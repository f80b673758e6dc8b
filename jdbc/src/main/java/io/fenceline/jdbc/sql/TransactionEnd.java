package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Commits and rolls back transactions that a guard began.
 *
 * <p>SQLite needs care. Its driver begins the next transaction in the call that ends one, and throws if that fails: on a busy file, with
 * {@code transaction_mode=IMMEDIATE}. And after an error by which SQLite rolls back itself, such as a full disk, the driver begins no
 * transaction until auto-commit was turned on, so a connection in that state must not go back to a pool.
 */
public final class TransactionEnd {

    private static final int SQLITE_BUSY = 5;

    private TransactionEnd() {}

    /**
     * Commits.
     *
     * @throws SQLException if the commit failed, or its outcome is unknown
     */
    public static void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            // A commit that is busy itself leaves its transaction active.
            if (e.getErrorCode() != SQLITE_BUSY || !rollsBackNothing(connection)) {
                throw e;
            }
            turnAutoCommitOn(connection);
        }
    }

    /**
     * Rolls back. Turns auto-commit on if no transaction is active afterwards.
     *
     * @throws SQLException if what was written may not be undone; to turn auto-commit on would commit it
     */
    public static void rollBack(Connection connection) throws SQLException {
        try {
            connection.rollback();
        } catch (SQLException e) {
            if (!saysThatNoneIsActive(e) && !rollsBackNothing(connection)) {
                throw e;
            }
            turnAutoCommitOn(connection);
        }
    }

    /** Rolls back after a failure and turns auto-commit on. If the rollback fails, auto-commit stays off and {@code reason} tells. */
    public static void rollBack(Connection connection, Throwable reason) {
        try {
            rollBack(connection);
            connection.setAutoCommit(true);
        } catch (SQLException broken) {
            reason.addSuppressed(broken);
        }
    }

    /** Rolls back, and returns whether SQLite had no active transaction. */
    public static boolean rollsBackNothing(Connection connection) {
        try {
            connection.rollback();
            return false;
        } catch (SQLException e) {
            return saysThatNoneIsActive(e);
        }
    }

    /** The driver notes that auto-commit is on, and then finds nothing to commit. */
    private static void turnAutoCommitOn(Connection connection) throws SQLException {
        try {
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            if (!saysThatNoneIsActive(e)) {
                throw e;
            }
        }
    }

    private static boolean saysThatNoneIsActive(SQLException e) {
        return String.valueOf(e.getMessage()).contains("no transaction is active");
    }
}
