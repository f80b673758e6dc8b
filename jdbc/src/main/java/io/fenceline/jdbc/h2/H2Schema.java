package io.fenceline.jdbc.h2;

import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.SchemaControl;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tables of a lock store. */
final class H2Schema implements SchemaControl {

    private static final int VERSION = 1;

    private static final Map<String, String> COLUMNS = Map.ofEntries(
            Map.entry("fenceline_lock.lock_key", "BINARY VARYING(512) NOT NULL"),
            Map.entry("fenceline_lock.last_fence", "BIGINT NOT NULL"),
            Map.entry("fenceline_lock.fence", "BIGINT NOT NULL"),
            Map.entry("fenceline_lock.tokens", "INTEGER NOT NULL"),
            Map.entry("fenceline_lock.lock_id", "CHARACTER VARYING(22)"),
            Map.entry("fenceline_lock.holder", "CHARACTER VARYING(255) NOT NULL"),
            Map.entry("fenceline_lock.acquired_at", "BIGINT NOT NULL"),
            Map.entry("fenceline_lock.expires_at", "BIGINT NOT NULL"),
            Map.entry("fenceline_lock_audit.at", "BIGINT NOT NULL"),
            Map.entry("fenceline_lock_audit.actor", "CHARACTER VARYING(255) NOT NULL"),
            Map.entry("fenceline_lock_audit.act", "CHARACTER VARYING(20) NOT NULL"),
            Map.entry("fenceline_lock_audit.lock_key", "BINARY VARYING(512) NOT NULL"),
            Map.entry("fenceline_lock_audit.fence_before", "BIGINT NOT NULL"),
            Map.entry("fenceline_lock_audit.fence_after", "BIGINT NOT NULL"));

    /** Where {@code ?1} is empty, the connection's own schema is meant. */
    private static final Sql FOUND = new Sql("""
            SELECT LOWER(table_name || '.' || column_name) AS what,
                   data_type || COALESCE('(' || character_maximum_length || ')', '')
                   || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END AS definition
              FROM information_schema.columns
             WHERE LOWER(table_schema) = LOWER(COALESCE(NULLIF(?1, ''), SCHEMA())) AND LOWER(table_name) IN (?2, ?3)""");

    private static final Sql KEYED = new Sql("""
            SELECT LOWER(usage.column_name)
              FROM information_schema.table_constraints AS its
              JOIN information_schema.key_column_usage AS usage USING (constraint_schema, constraint_name)
             WHERE its.constraint_type = 'PRIMARY KEY'
               AND LOWER(its.table_schema) = LOWER(COALESCE(NULLIF(?1, ''), SCHEMA())) AND LOWER(its.table_name) = ?2""");

    private final Database database;
    private final LockTable table;

    H2Schema(Database database, LockTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public String schemaScript() {
        try (InputStream script = H2Schema.class.getResourceAsStream("schema-" + VERSION + ".sql")) {
            if (script == null) {
                throw new IllegalStateException("the schema is missing from the jar");
            }
            return table.in(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@inheritDoc} A user that may not create anything can call it where nothing is missing. */
    @Override
    public void installSchema() {
        if (schemaProblems().isEmpty()) {
            return;
        }
        database.change(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(schemaScript());
            }
        });
    }

    @Override
    public List<String> schemaProblems() {
        String locks = bare(table.name());
        String audit = bare(table.in("fenceline_lock_audit"));
        int dot = table.name().indexOf('.');
        String schema = dot < 0 ? "" : table.name().substring(0, dot);
        return database.read(connection -> {
            Map<String, String> found = new TreeMap<>();
            FOUND.all(
                    connection,
                    row -> String.valueOf(found.put(row.getString("what"), row.getString("definition"))),
                    schema,
                    locks,
                    audit);
            List<String> problems = new ArrayList<>();
            for (String name : List.of(locks, audit)) {
                if (found.keySet().stream().noneMatch(what -> what.startsWith(name + "."))) {
                    problems.add("table " + name + " is missing");
                }
            }
            if (!problems.isEmpty()) {
                return problems;
            }
            new TreeMap<>(COLUMNS).forEach((column, definition) -> {
                String name = column.substring(column.indexOf('.') + 1);
                String its = bare(table.in(column.substring(0, column.indexOf('.'))));
                String actual = found.getOrDefault(its + "." + name, "missing");
                if (!definition.equals(actual)) {
                    problems.add("column " + name + " of " + its + " is " + actual + "; it should be: " + definition);
                }
            });
            if (!KEYED.all(connection, row -> row.getString(1), schema, locks).equals(List.of("lock_key"))) {
                problems.add("the primary key of " + locks + " is missing");
            }
            return problems;
        });
    }

    private static String bare(String name) {
        return name.substring(name.indexOf('.') + 1);
    }
}
