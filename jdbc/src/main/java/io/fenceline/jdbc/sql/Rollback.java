package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** The rollback of a transaction that we began. */
public final class Rollback {

    private Rollback() {}

    /**
     * Rolls back. Where SQLite has done so by itself, as on a full disk, its driver does not know that no transaction is active, and
     * would begin none until auto-commit was on in between: it is on afterwards.
     *
     * @throws SQLException if what was written may not be undone; to turn auto-commit on would commit it
     */
    public static void of(Connection connection) throws SQLException {
        try {
            connection.rollback();
        } catch (SQLException e) {
            ensureOver(e);
            try {
                connection.setAutoCommit(true);
            } catch (SQLException nothingToCommit) {
                ensureOver(nothingToCommit);
            }
        }
    }

    private static void ensureOver(SQLException e) throws SQLException {
        if (!String.valueOf(e.getMessage()).contains("no transaction is active")) {
            throw e;
        }
    }
}
