package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.SchemaControl;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The tables and procedures of a lock store. */
final class MariaDbSchema implements SchemaControl {

    private static final int VERSION = 1;

    /** What is expected, as {@code table.column} and its type. Widths of whole numbers differ between versions and mean nothing. */
    private static final Map<String, String> COLUMNS = Map.ofEntries(
            Map.entry("fenceline_lock.lock_key", "varbinary(512) NOT NULL"),
            Map.entry("fenceline_lock.last_fence", "bigint NOT NULL"),
            Map.entry("fenceline_lock.fence", "bigint NOT NULL"),
            Map.entry("fenceline_lock.tokens", "int NOT NULL"),
            Map.entry("fenceline_lock.lock_id", "char(22) ascii_bin"),
            Map.entry("fenceline_lock.holder", "varchar(255) utf8mb4 NOT NULL"),
            Map.entry("fenceline_lock.acquired_at", "bigint NOT NULL"),
            Map.entry("fenceline_lock.expires_at", "bigint NOT NULL"),
            Map.entry("fenceline_lock_audit.at", "bigint NOT NULL"),
            Map.entry("fenceline_lock_audit.actor", "varchar(255) utf8mb4 NOT NULL"),
            Map.entry("fenceline_lock_audit.act", "varchar(20) ascii NOT NULL"),
            Map.entry("fenceline_lock_audit.lock_key", "varbinary(512) NOT NULL"),
            Map.entry("fenceline_lock_audit.fence_before", "bigint NOT NULL"),
            Map.entry("fenceline_lock_audit.fence_after", "bigint NOT NULL"));

    private static final Set<String> PROCEDURES = Set.of(
            "fenceline_lock_acquire",
            "fenceline_lock_extend",
            "fenceline_lock_release",
            "fenceline_lock_raise",
            "fenceline_lock_end");

    /** Where {@code ?1} is empty, the connection's own database is meant. */
    private static final Sql FOUND_COLUMNS = new Sql("""
            SELECT CONCAT(table_name, '.', column_name) AS what,
                   CONCAT(REGEXP_REPLACE(column_type, '^(bigint|int)\\\\([0-9]+\\\\)', '\\\\1'),
                          CASE WHEN column_name = 'lock_id' THEN CONCAT(' ', collation_name)
                               WHEN character_set_name IS NULL THEN '' ELSE CONCAT(' ', character_set_name) END,
                          CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END) AS definition
              FROM information_schema.columns
             WHERE table_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND table_name IN (?2, ?3)""");

    private static final Sql FOUND_TABLES = new Sql("""
            SELECT table_name AS what, UPPER(engine) AS definition
              FROM information_schema.tables
             WHERE table_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND table_name IN (?2, ?3)""");

    private static final Sql FOUND_PROCEDURES = new Sql("""
            SELECT routine_name AS what, routine_comment AS definition
              FROM information_schema.routines
             WHERE routine_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND routine_type = 'PROCEDURE'
               AND LEFT(routine_name, CHAR_LENGTH(?2) + 1) = CONCAT(?2, '_')""");

    private static final Sql PRIMARY_KEY = new Sql("""
            SELECT GROUP_CONCAT(column_name) AS what, '' AS definition
              FROM information_schema.statistics
             WHERE table_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND table_name = ?2 AND index_name = 'PRIMARY'""");

    private final Database database;
    private final LockTable table;

    MariaDbSchema(Database database, LockTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public String schemaScript() {
        try (InputStream script = MariaDbSchema.class.getResourceAsStream("schema-" + VERSION + ".sql")) {
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
        if (missing().isEmpty()) {
            return;
        }
        database.change(connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String sql : new SchemaScript(schemaScript()).statements()) {
                    statement.execute(sql);
                }
                return true;
            }
        });
    }

    @Override
    public List<String> schemaProblems() {
        List<String> problems = new ArrayList<>(missing());
        database.read(connection -> {
            Map<String, String> found = found(connection, FOUND_COLUMNS);
            new TreeMap<>(COLUMNS).forEach((column, definition) -> {
                String name = column.substring(column.indexOf('.') + 1);
                String its = table.in(column.substring(0, column.indexOf('.')));
                String actual = found.get(bare(its) + "." + name);
                boolean thereAtAll = found.keySet().stream().anyMatch(other -> other.startsWith(bare(its) + "."));
                if (thereAtAll && !definition.equals(actual)) {
                    problems.add("column " + name + " of " + its + " is " + (actual == null ? "missing" : actual)
                            + "; it should be: " + definition);
                }
            });
            return true;
        });
        return problems;
    }

    private List<String> missing() {
        return database.read(connection -> {
            List<String> problems = new ArrayList<>();
            Map<String, String> tables = found(connection, FOUND_TABLES);
            for (String name : List.of("fenceline_lock", "fenceline_lock_audit")) {
                String engine = tables.get(bare(table.in(name)));
                if (engine == null) {
                    problems.add("table " + table.in(name) + " is missing");
                } else if (!engine.equals("INNODB")) {
                    problems.add("table " + table.in(name) + " has the engine " + engine + "; it should be InnoDB");
                }
            }
            String key =
                    found(connection, PRIMARY_KEY).keySet().stream().findFirst().orElse("");
            if (problems.isEmpty() && !key.equals("lock_key")) {
                problems.add(table.in("the primary key of fenceline_lock is missing"));
            }
            Map<String, String> procedures = found(connection, FOUND_PROCEDURES);
            for (String name : new TreeSet<>(PROCEDURES)) {
                String comment = procedures.get(bare(table.in(name)));
                if (comment == null) {
                    problems.add("procedure " + table.in(name) + " is missing, or may not be executed");
                } else if (!comment.equals("Fenceline " + VERSION)) {
                    problems.add("procedure " + table.in(name) + " says '" + comment + "'; it should be of version "
                            + VERSION);
                }
            }
            return problems;
        });
    }

    private Map<String, String> found(Connection connection, Sql sql) throws SQLException {
        Map<String, String> found = new TreeMap<>();
        int dot = table.name().indexOf('.');
        sql.all(
                connection,
                row -> {
                    String what = row.getString("what");
                    return what == null ? "" : found.put(what, String.valueOf(row.getString("definition")));
                },
                dot < 0 ? "" : table.name().substring(0, dot),
                bare(table.name()),
                bare(table.in("fenceline_lock_audit")));
        return found;
    }

    private static String bare(String name) {
        return name.substring(name.indexOf('.') + 1);
    }
}
