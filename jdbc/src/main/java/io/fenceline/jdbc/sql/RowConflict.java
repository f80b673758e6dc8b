package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Predicate;

/**
 * Repeats a statement that the database undid because of others' changes of the row: at strict isolation levels it had changed since
 * the statement began, or several that insert it were deadlocked. A release that raced an extension would otherwise fail and leave
 * the lock taken.
 */
public final class RowConflict {

    /** Others change the row of a lease only by extensions of it, of which few are under way. */
    private static final int ATTEMPTS = 5;

    private RowConflict() {}

    /**
     * Runs a statement that changes one row.
     *
     * @throws SQLException if it is refused for another reason or again and again
     */
    public static <T> T retried(Connection connection, Predicate<SQLException> isConflict, SqlWork<T> work)
            throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                return work.on(connection);
            } catch (SQLException e) {
                if (attempt == ATTEMPTS || !isConflict.test(e)) {
                    throw e;
                }
            }
        }
    }
}
