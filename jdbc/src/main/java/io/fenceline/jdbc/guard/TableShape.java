package io.fenceline.jdbc.guard;

import io.fenceline.jdbc.guard.FenceColumns.Form;
import io.fenceline.jdbc.product.ColumnKind;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.KeyColumn;
import io.fenceline.jdbc.product.KeyUniqueness;
import io.fenceline.jdbc.product.TableColumn;
import io.fenceline.jdbc.product.TextComparison;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Checks a fenced table against what the database says of it: that its key names one row, and that its columns compare keys and
 * fences as they are meant. A table that passes no check would accept stale writes without a word.
 */
final class TableShape {

    private static final int TOKEN_DIGITS = 15;

    private final Connection connection;
    private final FenceDialect dialect;
    private final FenceColumns columns;

    private TableShape(Connection connection, FenceDialect dialect, FenceColumns columns) {
        this.connection = connection;
        this.dialect = dialect;
        this.columns = columns;
    }

    /**
     * Checks a table.
     *
     * @return its key column
     * @throws IllegalArgumentException if it is not fit; the message says what to change
     */
    static KeyColumn check(Connection connection, FenceDialect dialect, FenceColumns columns, String probe)
            throws SQLException {
        return new TableShape(connection, dialect, columns).checked(probe);
    }

    private KeyColumn checked(String probe) throws SQLException {
        TableColumn key;
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery(probe)) {
            ResultSetMetaData found = none.getMetaData();
            key = TableColumn.of(dialect, columns.table(), columns.key(), found, 1);
            checkFence(TableColumn.of(dialect, columns.table(), columns.fence(), found, 2));
            if (columns.lockKey().isPresent()) {
                TableColumn lockKey = TableColumn.of(
                        dialect, columns.table(), columns.lockKey().get(), found, 3);
                if (lockKey.kind() != ColumnKind.TEXT) {
                    throw lockKey.unfit("lock keys are texts");
                }
            }
        }
        dialect.ensureTransactional(connection, columns.table());
        ensureUnique();
        return new KeyColumn(
                key,
                key.kind() == ColumnKind.TEXT
                        ? dialect.comparison(connection, columns.table(), columns.key())
                        : TextComparison.EXACT,
                dialect.exactDigits());
    }

    private void checkFence(TableColumn fence) {
        if (columns.form() == Form.TEXT) {
            if (fence.kind() != ColumnKind.TEXT || (fence.precision() > 0 && fence.precision() < TOKEN_DIGITS)) {
                throw fence.unfit("fences as texts need a text column of at least 15 characters"
                        + (fence.kind() == ColumnKind.TEXT ? "" : "; leave withTextFences() out for numbers"));
            }
        } else if (fence.kind() == ColumnKind.TEXT) {
            throw fence.unfit("fences are numbers here; say withTextFences(), or make it a BIGINT");
        } else if (fence.kind() == ColumnKind.INTEGER ? !fence.isBig() : !hasRoomForTokens(fence)) {
            throw fence.unfit("fences are numbers of up to 15 digits; make it a BIGINT");
        }
    }

    private static boolean hasRoomForTokens(TableColumn fence) {
        return fence.kind() == ColumnKind.DECIMAL
                && (fence.precision() == 0 || fence.precision() - fence.scale() >= TOKEN_DIGITS);
    }

    private void ensureUnique() throws SQLException {
        for (KeyUniqueness found : dialect.uniqueness(connection, columns.table(), columns.key())) {
            if (!found.isUnique()) {
                throw new IllegalArgumentException("column " + columns.key() + " of table " + columns.table()
                        + " does not name one row: it has no primary key and no unique index of its own, so a write could reach"
                        + " rows with different fences; "
                        + (found.primaryKey().size() > 1
                                ? "the primary key has the columns " + String.join(", ", found.primaryKey())
                                        + "; guard such rows with JdbcFenceGuard"
                                : "make one (none is found behind a synonym, nor of a temporary table on MariaDB)"));
            }
        }
    }
}
