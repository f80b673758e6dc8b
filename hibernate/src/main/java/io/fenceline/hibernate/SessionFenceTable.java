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
import org.hibernate.engine.spi.SharedSessionContractImplementor;

/**
 * The fence table, used through a session's own connection, so that its rows are locked until the session's commit.
 *
 * @param often guard of entities with {@link FenceRule#AT_LEAST}
 * @param once guard of entities with {@link FenceRule#ONCE}
 */
record SessionFenceTable(GuardOptions options, JdbcFenceGuard often, JdbcFenceGuard once, LockListeners listeners) {

    /** The default table name, which dialects use in their SQL. */
    private static final String FENCES = "fenceline_fences";

    static SessionFenceTable of(DataSource source, GuardOptions options, LockListeners listeners) {
        return new SessionFenceTable(
                options,
                JdbcFenceGuard.on(source, options.withRule(FenceRule.AT_LEAST)),
                JdbcFenceGuard.on(source, options.withRule(FenceRule.ONCE)),
                listeners);
    }

    /** Locks the fence row for a write, or throws. */
    void enter(
            SharedSessionContractImplementor session,
            Connection connection,
            String resource,
            FenceStamp stamp,
            FenceRule rule)
            throws SQLException {
        JdbcFenceGuard guard = rule == FenceRule.ONCE ? once : often;
        try {
            guard.enter(connection, resource, stamp);
        } catch (SQLException e) {
            refuseIfStale(session, rule, connection, resource, stamp, e);
            throw e;
        }
    }

    /** Locks the fence row for a claim, or throws; does not count as a write. */
    void claim(SharedSessionContractImplementor session, Connection connection, String resource, FenceStamp stamp)
            throws SQLException {
        try {
            often.claim(connection, resource, stamp);
        } catch (SQLException e) {
            refuseIfStale(session, FenceRule.AT_LEAST, connection, resource, stamp, e);
            throw e;
        }
    }

    /** Sets the transaction's stamp for triggers on the written tables. On PostgreSQL only: see {@link SessionStamp}. */
    void show(Connection connection, FenceStamp stamp) throws SQLException {
        if (Products.of(connection).name().equals("PostgreSQL")) {
            SessionStamp.set(connection, stamp);
        }
    }

    /**
     * Throws a refusal if a conflict was caused by a newer holder. At REPEATABLE READ a write by a newer holder since the
     * transaction began is a serialization failure on PostgreSQL, and on MariaDB with innodb_snapshot_isolation. The transaction is
     * unusable then, so the fence is read on another connection, of the same tenant.
     */
    private void refuseIfStale(
            SharedSessionContractImplementor session,
            FenceRule rule,
            Connection connection,
            String resource,
            FenceStamp stamp,
            SQLException failure)
            throws SQLException {
        if (!Products.of(connection).fences().isConflict(failure)) {
            return;
        }
        try {
            JdbcFenceGuard.on(FactoryDataSource.of(session), options.withRule(rule))
                    .check(resource, stamp)
                    .orThrow(resource, stamp, listeners);
        } catch (RefusedWriteException refusal) {
            refusal.addSuppressed(failure);
            throw refusal;
        } catch (BackendException
                | UnsupportedOperationException unknown) { // also where no other connection can be had
            failure.addSuppressed(unknown);
        }
    }

    /** Reads on another connection if a failure was a conflict. */
    static OptionalLong afterConflict(
            SharedSessionContractImplementor session, SQLException failure, ConnectionRead<OptionalLong> read)
            throws SQLException {
        try (Connection connection = FactoryDataSource.of(session).getConnection()) {
            if (!Products.of(connection).fences().isConflict(failure)) {
                return OptionalLong.empty();
            }
            try {
                return read.on(connection);
            } finally {
                if (!connection.getAutoCommit()) {
                    connection.rollback(); // the read may have locked the row
                }
            }
        }
    }

    /** Builds a query for the latest state of a row. */
    static String latest(Connection connection, String select, String table, String where) throws SQLException {
        return Products.of(connection).fences().latest(select + FENCES + where).replace(FENCES, table);
    }

    /** A read on a connection. */
    interface ConnectionRead<T> {
        T on(Connection connection) throws SQLException;
    }
}
