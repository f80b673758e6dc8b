package io.fenceline.jdbc.trigger;

import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Installs and inspects triggers on PostgreSQL. */
final class PostgresTriggerProduct extends TriggerProduct {

    PostgresTriggerProduct() {
        super("PostgreSQL", "postgresql-statements.sql");
    }

    @Override
    TriggerDialect dialect(Connection connection, String fences) throws SQLException {
        return fences.indexOf('.') >= 0
                ? new PostgresTriggers(fences)
                : PostgresTriggers.found(qualified(connection, fences));
    }

    private String qualified(Connection connection, String fences) throws SQLException {
        if (fences.indexOf('.') >= 0) {
            return fences;
        }
        String schema =
                sql("schema").one(connection, row -> row.getString(1), fences).orElseThrow();
        if (!schema.matches("[a-z_][a-z0-9_]*")) {
            throw new IllegalArgumentException("the fences are in the schema \"" + schema
                    + "\", whose name needs quotes; triggers need one of lower-case letters, digits and underscores");
        }
        return schema + '.' + fences;
    }

    @Override
    void begin(Statement statement) throws SQLException {
        statement.executeUpdate("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }

    @Override
    boolean hasTable(Connection connection, String table) throws SQLException {
        return exists(connection, PostgresTriggers.tableName(table).sql());
    }

    @Override
    List<String> missingColumns(Connection connection, GuardedTable table) throws SQLException {
        String[] key = PostgresTriggers.key(table).stream().map(SqlName::last).toArray(String[]::new);
        String name = PostgresTriggers.tableName(table.table()).sql();
        return sql("missing_columns").all(connection, row -> row.getString(1), name, key);
    }

    @Override
    List<ObservedWrites> observed(Connection connection, String fences) throws SQLException {
        String counts = new PostgresTriggers(qualified(connection, fences)).observed();
        return exists(connection, counts)
                ? new Sql(text("observed").replace("fenceline_observed", counts))
                        .all(connection, TriggerProduct::observedWrites)
                : List.of();
    }

    private boolean exists(Connection connection, String table) throws SQLException {
        return sql("table_exists")
                .one(connection, row -> row.getBoolean(1), table)
                .orElse(false);
    }
}
