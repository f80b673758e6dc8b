package io.fenceline.jdbc.trigger;

import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Installs and inspects triggers on PostgreSQL. */
final class PostgresProduct implements TriggerProduct {

    /** Where the fences are, or would be made. */
    private static final Sql SCHEMA = new Sql("""
            SELECT coalesce((SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass(?1)),
                            current_schema())""");

    private static final Sql TABLE = new Sql("SELECT to_regclass(?1) IS NOT NULL");

    private static final Sql MISSING = new Sql("""
            SELECT wanted FROM unnest(?2::text[]) AS wanted
             WHERE NOT EXISTS (SELECT FROM pg_attribute
                                WHERE attrelid = to_regclass(?1) AND attname = wanted AND attnum > 0
                                  AND NOT attisdropped)""");

    private static final String OBSERVED = """
            SELECT table_name, operation, reason,
                   (array_agg(presented ORDER BY last_at DESC))[1], (array_agg(highest ORDER BY last_at DESC))[1],
                   sum(seen)::bigint, (extract(epoch FROM min(first_at)) * 1000)::bigint,
                   (extract(epoch FROM max(last_at)) * 1000)::bigint
              FROM fenceline_observed GROUP BY table_name, operation, reason
             ORDER BY table_name, operation, reason""";

    @Override
    public String name() {
        return "PostgreSQL";
    }

    @Override
    public TriggerDialect dialect(Connection connection, String fences) throws SQLException {
        return new PostgresTriggers(qualified(connection, fences));
    }

    private static String qualified(Connection connection, String fences) throws SQLException {
        if (fences.indexOf('.') >= 0) {
            return fences;
        }
        String schema = SCHEMA.one(connection, row -> row.getString(1), fences).orElseThrow();
        return schema + '.' + fences;
    }

    @Override
    public void requireTable(Connection connection, GuardedTable table) throws SQLException {
        String name = PostgresTriggers.tableName(table.table()).sql();
        if (!TABLE.one(connection, row -> row.getBoolean(1), name).orElse(false)) {
            throw TriggerProduct.missing(table, List.of());
        }
        String[] key = PostgresTriggers.key(table).stream().map(SqlName::last).toArray(String[]::new);
        List<String> missing = MISSING.all(connection, row -> row.getString(1), name, key);
        if (!missing.isEmpty()) {
            throw TriggerProduct.missing(table, missing);
        }
    }

    @Override
    public List<ObservedWrites> observed(Connection connection, String fences) throws SQLException {
        String counts = new PostgresTriggers(qualified(connection, fences)).observed();
        return TABLE.one(connection, row -> row.getBoolean(1), counts).orElse(false)
                ? new Sql(OBSERVED.replace("fenceline_observed", counts))
                        .all(connection, TriggerProduct::observedWrites)
                : List.of();
    }
}
