package io.fenceline.hibernate;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.trigger.SessionStamp;
import io.fenceline.telemetry.LockListeners;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalLong;
import javax.sql.DataSource;

/**
 * The fence table, entered on a session's own connection, so that its rows are locked until the session's commit.
 *
 * @param often for those who write as often as they like
 * @param once for those whose grant writes once
 */
record FenceTable(DataSource source, JdbcFenceGuard often, JdbcFenceGuard once, LockListeners listeners) {

    /** The name that dialects know their table of fences by. */
    private static final String FENCES = "fenceline_fences";

    static FenceTable of(DataSource source, GuardOptions options, LockListeners listeners) {
        return new FenceTable(
                source,
                JdbcFenceGuard.on(source, options.withRule(FenceRule.AT_LEAST)),
                JdbcFenceGuard.on(source, options.withRule(FenceRule.ONCE)),
                listeners);
    }

    /** Takes the row for a write, or throws. */
    void enter(Connection connection, String resource, FenceStamp stamp, FenceRule rule) throws SQLException {
        JdbcFenceGuard guard = rule == FenceRule.ONCE ? once : often;
        try {
            guard.enter(connection, resource, stamp);
        } catch (SQLException e) {
            refuseIfStale(guard, connection, resource, stamp, e);
            throw e;
        }
    }

    /** Takes the row for reading, or throws; nothing counts as written. */
    void claim(Connection connection, String resource, FenceStamp stamp) throws SQLException {
        try {
            often.claim(connection, resource, stamp);
        } catch (SQLException e) {
            refuseIfStale(often, connection, resource, stamp, e);
            throw e;
        }
    }

    /** Shows a stamp to the triggers of the tables that are written, for the transaction. On PostgreSQL only: see {@link SessionStamp}. */
    void show(Connection connection, FenceStamp stamp) throws SQLException {
        if (Products.of(connection).name().equals("PostgreSQL")) {
            SessionStamp.set(connection, stamp);
        }
    }

    /**
     * Tells a stale writer why, where the database only says that its snapshot is too old: at REPEATABLE READ a newer holder that
     * has written since the transaction began is a conflict for PostgreSQL, and for MariaDB with innodb_snapshot_isolation. The
     * transaction is of no more use then, so another connection looks.
     */
    private void refuseIfStale(
            JdbcFenceGuard guard, Connection connection, String resource, FenceStamp stamp, SQLException failure)
            throws SQLException {
        if (!Products.of(connection).fences().isConflict(failure)) {
            return;
        }
        try {
            guard.check(resource, stamp).orThrow(resource, stamp, listeners);
        } catch (RefusedWriteException refusal) {
            refusal.addSuppressed(failure);
            throw refusal;
        } catch (BackendException unknown) {
            failure.addSuppressed(unknown);
        }
    }

    /** Looks at something on another connection if a failure was a conflict. */
    OptionalLong afterConflict(SQLException failure, SqlWork<OptionalLong> look) throws SQLException {
        try (Connection connection = source.getConnection()) {
            if (!Products.of(connection).fences().isConflict(failure)) {
                return OptionalLong.empty();
            }
            try {
                return look.on(connection);
            } finally {
                if (!connection.getAutoCommit()) {
                    connection.rollback(); // the look may have locked the row
                }
            }
        }
    }

    /** Makes a query for the latest state of one table's row. */
    static String latest(Connection connection, String select, String table, String where) throws SQLException {
        return Products.of(connection).fences().latest(select + FENCES + where).replace(FENCES, table);
    }

    /** Looks at something in the database. */
    interface SqlWork<T> {
        T on(Connection connection) throws SQLException;
    }
}
