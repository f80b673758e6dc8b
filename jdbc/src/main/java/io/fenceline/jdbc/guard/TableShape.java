package io.fenceline.jdbc.guard;

import io.fenceline.jdbc.guard.FenceColumns.Form;
import io.fenceline.jdbc.product.ColumnKind;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.KeyColumn;
import io.fenceline.jdbc.product.TableColumn;
import io.fenceline.jdbc.product.TextComparison;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

    /** A table's place in the catalog. Drivers take different parts of the name for its catalog and its schema. */
    private record Place(@Nullable String catalog, @Nullable String schema, String table, boolean isTable) {

        boolean isIn(@Nullable String within) {
            return within == null || within.equalsIgnoreCase(schema) || within.equalsIgnoreCase(catalog);
        }
    }

    private void ensureUnique() throws SQLException {
        DatabaseMetaData catalog = connection.getMetaData();
        Place place = place(catalog);
        if (place == null || !place.isTable()) {
            return; // a view: whether its key names one row is said of the tables behind it
        }
        List<String> primary = new ArrayList<>();
        try (ResultSet row = catalog.getPrimaryKeys(place.catalog(), place.schema(), place.table())) {
            while (row.next()) {
                primary.add(row.getString("COLUMN_NAME"));
            }
        }
        if (!isKeyAlone(primary)
                && uniqueIndexes(catalog, place).values().stream().noneMatch(this::isKeyAlone)) {
            throw new IllegalArgumentException("column " + columns.key() + " of table " + columns.table()
                    + " does not name one row: it has no primary key and no unique index of its own, so a write could reach"
                    + " rows with different fences; "
                    + (primary.size() > 1
                            ? "the primary key has the columns " + String.join(", ", primary)
                                    + "; guard such rows with JdbcFenceGuard"
                            : "make one"));
        }
    }

    private boolean isKeyAlone(List<String> indexed) {
        return indexed.size() == 1 && columns.key().equalsIgnoreCase(indexed.get(0));
    }

    private static Map<String, List<String>> uniqueIndexes(DatabaseMetaData catalog, Place place) throws SQLException {
        Map<String, List<String>> indexes = new HashMap<>();
        try (ResultSet row = catalog.getIndexInfo(place.catalog(), place.schema(), place.table(), true, true)) {
            while (row.next()) {
                String column = row.getString("COLUMN_NAME");
                if (row.getShort("TYPE") != DatabaseMetaData.tableIndexStatistic
                        && !row.getBoolean("NON_UNIQUE")
                        && column != null) {
                    List<String> indexed =
                            indexes.computeIfAbsent(row.getString("INDEX_NAME"), name -> new ArrayList<>());
                    indexed.add(column);
                    if (row.getString("FILTER_CONDITION") != null) {
                        indexed.add("of some rows only");
                    }
                }
            }
        }
        return indexes;
    }

    private @Nullable Place place(DatabaseMetaData catalog) throws SQLException {
        String name = columns.table();
        int dot = name.lastIndexOf('.');
        String table = name.substring(dot + 1);
        List<Place> found = new ArrayList<>();
        try (ResultSet row = catalog.getTables(null, null, pattern(catalog, table), null)) {
            while (row.next()) {
                found.add(new Place(
                        row.getString("TABLE_CAT"),
                        row.getString("TABLE_SCHEM"),
                        row.getString("TABLE_NAME"),
                        String.valueOf(row.getString("TABLE_TYPE")).contains("TABLE")));
            }
        }
        String within = dot < 0 ? within() : name.substring(0, dot);
        return found.stream()
                .filter(place -> place.table().equals(table) && place.isIn(within))
                .findFirst()
                .orElseGet(() -> found.size() == 1 ? found.get(0) : null);
    }

    private @Nullable String within() throws SQLException {
        String schema = connection.getSchema();
        return schema != null ? schema : connection.getCatalog();
    }

    private static String pattern(DatabaseMetaData catalog, String name) throws SQLException {
        String escape = catalog.getSearchStringEscape();
        return escape == null || escape.isEmpty()
                ? name
                : name.replace(escape, escape + escape)
                        .replace("_", escape + "_")
                        .replace("%", escape + "%");
    }
}
