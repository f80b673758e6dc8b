package io.fenceline.jdbc.sqlite;

import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.Product;
import io.fenceline.jdbc.sql.SqlErrors;
import io.fenceline.jdbc.sql.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * SQLite from version 3.35 on, through the Xerial driver, as a database that guards are used on. The lock store in a SQLite file is the
 * module {@code fenceline-sqlite}.
 */
public final class Sqlite implements Product {

    private static final FenceDialect FENCES = new SqliteFenceDialect();

    private static final SqlFile OUTBOX = SqlFile.of(Sqlite.class, "outbox-statements.sql");

    private final SqlErrors errors = new SqliteGuardErrors();

    /** Creates the product; called by {@link java.util.ServiceLoader}. */
    public Sqlite() {}

    @Override
    public String name() {
        return "SQLite";
    }

    @Override
    public SqlErrors errors() {
        return errors;
    }

    @Override
    public FenceDialect fences() {
        return FENCES;
    }

    @Override
    public Optional<SqlFile> outbox() {
        return Optional.of(OUTBOX);
    }

    /**
     * {@inheritDoc} The driver begins a transaction with the first statement after auto-commit was turned off. Of one that SQL began it knows
     * nothing, and would commit it; only in such a one SQLite begins no other.
     */
    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return !connection.getAutoCommit() || isActive(connection);
    }

    /**
     * {@inheritDoc} With auto-commit off as well there may be no transaction: the driver begins one only where auto-commit was on before, and
     * pools lend connections whose last one did not begin, or was rolled back by SQLite, as they are.
     */
    @Override
    public boolean awaitsCommit(Connection connection) throws SQLException {
        return isActive(connection);
    }

    /** Asks by a setting that SQLite refuses within a transaction, and ignores for temporary tables. BEGIN could begin a transaction. */
    static boolean isActive(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA temp.synchronous = NORMAL");
            return false;
        } catch (SQLException e) {
            if (String.valueOf(e.getMessage()).contains("inside a transaction")) {
                return true;
            }
            throw e;
        }
    }
}
