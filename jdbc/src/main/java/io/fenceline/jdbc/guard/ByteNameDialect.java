package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.jdbc.dialect.Dialect;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;

/**
 * Base of the dialects that keep names as bytes in UTF-8, since their comparison of texts depends on how a database was set up. A
 * first row is inserted by a statement of its own, which may fail when somebody else inserts it.
 */
abstract class ByteNameDialect implements FenceDialect {

    private final Dialect locks;
    private final int duplicateKey;
    private final Set<Integer> conflicts;

    /**
     * @param locks the product's dialect for locks, which knows its errors too
     * @param duplicateKey the product's error code
     * @param conflicts the error codes of transactions that were given up because of others
     */
    ByteNameDialect(Dialect locks, int duplicateKey, Set<Integer> conflicts) {
        this.locks = locks;
        this.duplicateKey = duplicateKey;
        this.conflicts = conflicts;
    }

    @Override
    public final String product() {
        return locks.product();
    }

    @Override
    public final Object key(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public final String key(ResultSet row, String column) throws SQLException {
        return new String(row.getBytes(column), StandardCharsets.UTF_8);
    }

    /** {@inheritDoc} Where a transaction keeps what it saw first and would see something else, it fails. */
    @Override
    public final String latest(String query) {
        return query + " FOR UPDATE";
    }

    @Override
    public final boolean isInTransaction(Connection connection) throws SQLException {
        return locks.isInTransaction(connection);
    }

    @Override
    public final boolean isForestalled(SQLException e) {
        return e.getErrorCode() == duplicateKey;
    }

    @Override
    public final boolean isConflict(SQLException e) {
        return conflicts.contains(e.getErrorCode()) || "40001".equals(e.getSQLState());
    }

    @Override
    public final BackendException failed(SQLException e, Effect unclear) {
        return locks.errors().failed(e, unclear);
    }

    @Override
    public final BackendException unreachable(SQLException e) {
        return locks.errors().unreachable(e);
    }
}
