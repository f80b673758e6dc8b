package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A transaction that a guard begins, on a connection that is in none. Closing it rolls back what is not committed, and restores the
 * connection's auto-commit.
 *
 * <p>SQLite's driver begins the next transaction in the calls that commit and roll back, and commits that one when auto-commit is turned
 * on. On a busy file, with {@code transaction_mode=IMMEDIATE}, each of these calls can fail after its own work was done. There,
 * transactions end by SQL, which begins no other one.
 */
public final class OwnTransaction implements AutoCloseable {

    private final Connection connection;
    private final boolean autoCommit;
    private final boolean endsBySql;
    private boolean committed;

    private OwnTransaction(Connection connection) throws SQLException {
        this.connection = connection;
        this.autoCommit = connection.getAutoCommit();
        this.endsBySql = "SQLite".equals(connection.getMetaData().getDatabaseProductName());
    }

    /**
     * Begins a transaction.
     *
     * @throws SQLException if none has begun; the connection is as it was
     */
    public static OwnTransaction begin(Connection connection) throws SQLException {
        OwnTransaction transaction = new OwnTransaction(connection);
        try {
            if (transaction.endsBySql && !transaction.autoCommit) {
                transaction.execute("BEGIN"); // the driver has none, and begins none
            }
            connection.setAutoCommit(false);
            return transaction;
        } catch (SQLException | RuntimeException e) {
            transaction.restoreAutoCommit();
            throw e;
        }
    }

    /**
     * Commits.
     *
     * @throws SQLException if the commit failed, or its outcome is unknown
     */
    public void commit() throws SQLException {
        if (endsBySql) {
            execute("COMMIT");
        } else {
            connection.commit();
        }
        committed = true;
    }

    /**
     * {@inheritDoc}
     *
     * @throws SQLException if what was written may not be undone; auto-commit stays off, since to turn it on would commit that
     */
    @Override
    public void close() throws SQLException {
        if (!committed) {
            rollBack();
        }
        restoreAutoCommit();
    }

    private void rollBack() throws SQLException {
        if (!endsBySql) {
            connection.rollback();
            return;
        }
        try {
            execute("ROLLBACK");
        } catch (SQLException e) {
            // SQLite has rolled back by itself, as after an error for which the disk is full.
            if (!String.valueOf(e.getMessage()).contains("no transaction is active")) {
                throw e;
            }
        }
    }

    /** The transaction's outcome is known. A connection that fails here fails at its next use too. */
    private void restoreAutoCommit() {
        try {
            if (autoCommit && endsBySql) {
                turnOnWithoutTransaction();
            }
            connection.setAutoCommit(autoCommit);
        } catch (SQLException | RuntimeException broken) {
            // a pool looks at what it gets back
        }
    }

    /** SQLite's driver sets its flag, and then fails since it has nothing to commit. A pool learns of the flag by the second call. */
    private void turnOnWithoutTransaction() {
        try {
            connection.setAutoCommit(true);
        } catch (SQLException nothingToCommit) {
            // expected
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
