package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.dialect.StoreSchema;
import io.fenceline.jdbc.guard.FenceDialect;
import io.fenceline.jdbc.guard.FenceTable;
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

/** The tables and procedures of a lock store, and the tables of the fences beside it. */
final class MariaDbSchema implements StoreSchema {

    private static final int VERSION = 1;

    private static final Set<String> PROCEDURES = Set.of(
            "fenceline_lock_acquire",
            "fenceline_lock_extend",
            "fenceline_lock_release",
            "fenceline_lock_raise",
            "fenceline_lock_end");

    /** Where {@code ?1} is empty, the connection's own database is meant. */
    private static final Sql FOUND_PROCEDURES = new Sql("""
            SELECT routine_name AS what, routine_comment AS definition
              FROM information_schema.routines
             WHERE routine_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND routine_type = 'PROCEDURE'
               AND LEFT(routine_name, CHAR_LENGTH(?2) + 1) = CONCAT(?2, '_')""");

    private final Database database;
    private final LockTable table;
    private final FenceDialect fences;

    MariaDbSchema(Database database, LockTable table, FenceDialect fences) {
        this.database = database;
        this.table = table;
        this.fences = fences;
    }

    @Override
    public String schemaScript() {
        try (InputStream script = MariaDbSchema.class.getResourceAsStream("schema-" + VERSION + ".sql")) {
            if (script == null) {
                throw new IllegalStateException("the schema is missing from the jar");
            }
            return table.in(new String(script.readAllBytes(), StandardCharsets.UTF_8)) + "\n"
                    + FenceTable.beside(table.name()).in(fences.script("fences"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isComplete() {
        database.read(connection -> {
            MariaDbTables.ensureOurs(connection, ScriptTables.of(schemaScript()));
            return true;
        });
        return schemaProblems().isEmpty();
    }

    @Override
    public void installSchema() {
        if (isComplete()) {
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
        return database.read(connection -> {
            List<String> problems =
                    new ArrayList<>(MariaDbTables.problems(connection, ScriptTables.of(schemaScript())));
            Map<String, String> procedures = procedures(connection);
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

    private Map<String, String> procedures(Connection connection) throws SQLException {
        Map<String, String> found = new TreeMap<>();
        int dot = table.name().indexOf('.');
        FOUND_PROCEDURES.all(
                connection,
                row -> String.valueOf(found.put(row.getString("what"), row.getString("definition"))),
                dot < 0 ? "" : table.name().substring(0, dot),
                bare(table.name()));
        return found;
    }

    private static String bare(String name) {
        return name.substring(name.indexOf('.') + 1);
    }
}
