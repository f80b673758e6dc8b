package io.fenceline.jdbc.trigger;

import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Installs and inspects triggers on SQLite. */
final class SqliteProduct implements TriggerProduct {

    private static final Sql COLUMNS = new Sql("SELECT name FROM pragma_table_xinfo(?1)");

    private static final Sql COUNTED = new Sql("SELECT 1 FROM sqlite_schema WHERE name = 'fenceline_observed'");

    private static final Sql OBSERVED = new Sql("""
            SELECT table_name, operation, reason, presented, highest, seen, first_at, last_at
              FROM fenceline_observed ORDER BY table_name, operation, reason""");

    @Override
    public String name() {
        return "SQLite";
    }

    @Override
    public TriggerDialect dialect(Connection connection, String fences) {
        if (!fences.equals("fenceline_fences")) {
            throw new IllegalArgumentException(
                    "fences is '" + fences + "'; on SQLite triggers know fenceline_fences alone");
        }
        return new SqliteTriggers();
    }

    @Override
    public void requireTable(Connection connection, GuardedTable table) throws SQLException {
        List<String> columns = COLUMNS.all(
                connection,
                row -> row.getString(1),
                SqliteTriggers.tableName(table.table()).last());
        if (columns.isEmpty()) {
            throw TriggerProduct.missing(table, List.of());
        }
        List<String> missing = SqliteTriggers.key(table).stream()
                .map(SqlName::last)
                .filter(column -> columns.stream().noneMatch(column::equalsIgnoreCase))
                .toList();
        if (!missing.isEmpty()) {
            throw TriggerProduct.missing(table, missing);
        }
    }

    @Override
    public List<ObservedWrites> observed(Connection connection, String fences) throws SQLException {
        return COUNTED.one(connection, row -> true).isPresent()
                ? OBSERVED.all(connection, TriggerProduct::observedWrites)
                : List.of();
    }
}
