package io.fenceline.jdbc.trigger;

import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Installs and inspects triggers on PostgreSQL. */
final class PostgresTriggerProduct extends TriggerProduct {

    PostgresTriggerProduct() {
        super("PostgreSQL", "postgresql-statements.sql");
    }

    @Override
    TriggerDialect dialect(Connection connection, String fences) throws SQLException {
        return new PostgresTriggers(qualified(connection, fences));
    }

    private String qualified(Connection connection, String fences) throws SQLException {
        if (fences.indexOf('.') >= 0) {
            return fences;
        }
        String schema =
                sql("schema").one(connection, row -> row.getString(1), fences).orElseThrow();
        return schema + '.' + fences;
    }

    @Override
    void requireTable(Connection connection, GuardedTable table) throws SQLException {
        String name = PostgresTriggers.tableName(table.table()).sql();
        if (!sql("table_exists").one(connection, row -> row.getBoolean(1), name).orElse(false)) {
            throw missing(table, List.of());
        }
        String[] key = PostgresTriggers.key(table).stream().map(SqlName::last).toArray(String[]::new);
        List<String> missing = sql("missing_columns").all(connection, row -> row.getString(1), name, key);
        if (!missing.isEmpty()) {
            throw missing(table, missing);
        }
    }

    @Override
    List<ObservedWrites> observed(Connection connection, String fences) throws SQLException {
        String counts = new PostgresTriggers(qualified(connection, fences)).observed();
        return sql("table_exists")
                        .one(connection, row -> row.getBoolean(1), counts)
                        .orElse(false)
                ? new Sql(text("observed").replace("fenceline_observed", counts))
                        .all(connection, TriggerProduct::observedWrites)
                : List.of();
    }
}
