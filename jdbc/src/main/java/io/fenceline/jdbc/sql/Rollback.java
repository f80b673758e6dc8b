package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** The rollback of a transaction that we began. */
public final class Rollback {

    private Rollback() {}

    /**
     * Rolls back. Where SQLite has done so by itself, as on a full disk, its driver does not know that no transaction is active, and
     * would begin none until auto-commit was on in between: it is on afterwards. So it is where the driver, which begins the next
     * transaction in the same call, could not do that.
     *
     * @throws SQLException if what was written may not be undone; to turn auto-commit on would commit it
     */
    public static void of(Connection connection) throws SQLException {
        try {
            connection.rollback();
        } catch (SQLException e) {
            if (!isOver(e) && !isOver(connection)) {
                throw e;
            }
            try {
                connection.setAutoCommit(true);
            } catch (SQLException nothingToCommit) {
                if (!isOver(nothingToCommit)) {
                    throw nothingToCommit;
                }
            }
        }
    }

    /** A second rollback tells whether the first was done. */
    private static boolean isOver(Connection connection) {
        try {
            connection.rollback();
            return true;
        } catch (SQLException e) {
            return isOver(e);
        }
    }

    private static boolean isOver(SQLException e) {
        return String.valueOf(e.getMessage()).contains("no transaction is active");
    }
}
