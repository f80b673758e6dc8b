package io.fenceline.spring;

import io.fenceline.FenceStamp;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;

/** Enters resources on the connection of a transaction, and translates what fails there. */
final class FenceEntries {

    /** The SQLSTATE of a write in a read-only transaction. */
    private static final String READ_ONLY = "25006";

    /** The errors of MariaDB and MySQL for a write on a server that takes none, such as a replica. */
    private static final Set<Integer> READ_ONLY_SERVER = Set.of(1290, 1836);

    /** The SQLSTATE of PostgreSQL, and the errors of MariaDB and MySQL, for a user without the privilege to write. */
    private static final String DENIED = "42501";

    private static final Set<Integer> DENIED_ERRORS = Set.of(1044, 1142, 1143);

    @FunctionalInterface
    private interface Entering {
        void enter(Connection connection, String resource, FenceStamp stamp) throws SQLException;
    }

    private FenceEntries() {}

    /**
     * Some databases ignore the wish for a read-only transaction; one that heeds it has nothing to guard. Users who may only read are
     * those of PostgreSQL, MariaDB and MySQL, which all heed it.
     */
    static void enterUnlessReadOnly(
            JdbcFenceGuard guard, Connection connection, Map<String, Collection<FenceStamp>> entries) {
        try {
            Savepoint before = connection.setSavepoint();
            try {
                enter(guard, connection, entries);
            } catch (DataAccessException e) {
                if (!(e.getCause() instanceof SQLException cause) || !(isReadOnly(cause) || isDenied(cause))) {
                    throw e;
                }
                connection.rollback(before);
            }
        } catch (SQLException e) {
            throw translated("a savepoint before the fences", e);
        }
    }

    static void enter(JdbcFenceGuard guard, Connection connection, Map<String, Collection<FenceStamp>> entries) {
        each(guard, connection, entries, guard::enter);
    }

    static void claim(JdbcFenceGuard guard, Connection connection, Map<String, Collection<FenceStamp>> entries) {
        each(guard, connection, entries, guard::claim);
    }

    private static void each(
            JdbcFenceGuard guard,
            Connection connection,
            Map<String, Collection<FenceStamp>> entries,
            Entering entering) {
        entries.forEach((resource, stamps) -> {
            for (FenceStamp stamp : stamps) {
                try {
                    entering.enter(connection, resource, stamp);
                } catch (SQLException e) {
                    throw conflict(guard, resource, stamp, e);
                }
            }
        });
    }

    private static RuntimeException conflict(
            JdbcFenceGuard guard, String resource, FenceStamp stamp, SQLException error) {
        if (!isReadOnly(error)) {
            try {
                guard.ensureCurrent(resource, stamp);
            } catch (RefusedWriteException refusal) {
                refusal.addSuppressed(error);
                return refusal;
            } catch (RuntimeException unknown) {
                error.addSuppressed(unknown);
            }
        }
        return translated("entering the fence of '" + resource + "'", error);
    }

    private static boolean isReadOnly(SQLException error) {
        return READ_ONLY.equals(error.getSQLState()) || READ_ONLY_SERVER.contains(error.getErrorCode());
    }

    private static boolean isDenied(SQLException error) {
        return DENIED.equals(error.getSQLState()) || DENIED_ERRORS.contains(error.getErrorCode());
    }

    private static DataAccessException translated(String task, SQLException error) {
        DataAccessException translated = new SQLExceptionSubclassTranslator().translate(task, null, error);
        return translated == null ? new UncategorizedSQLException(task, null, error) : translated;
    }
}
