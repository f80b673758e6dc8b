package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares the tables that a script of ours makes with those that are there. */
public class FoundTables {

    private final Sql columns;

    /**
     * Creates the comparison.
     *
     * @param columns a query with the values schema (empty if it is the connection's own), name of the table, and columns of its key. It
     *     returns a row for each column: its name as {@code what}, its type in the words of the script as {@code definition}, and
     *     whether it is part of the primary key as {@code keyed}
     */
    public FoundTables(Sql columns) {
        this.columns = columns;
    }

    /** Returns a line for each thing that is missing or different. */
    public List<String> problems(Connection connection, String script) throws SQLException {
        ScriptTables wanted = ScriptTables.of(script);
        Map<String, ScriptTables.Found> found = find(connection, wanted);
        return wanted.problems(table -> Optional.ofNullable(found.get(table.name())));
    }

    /**
     * Refuses tables of these names that belong to another program or layout.
     *
     * @throws io.fenceline.BackendException if a table is there and lacks a column
     */
    public final void ensureOurs(Connection connection, String script) throws SQLException {
        ScriptTables wanted = ScriptTables.of(script);
        Map<String, ScriptTables.Found> found = find(connection, wanted);
        for (ScriptTables.Table table : wanted.tables()) {
            if (found.containsKey(table.name())) {
                OwnTables.ensureOurs(
                        table.name(),
                        table.columns().keySet(),
                        found.get(table.name()).columns().keySet());
            }
        }
    }

    private Map<String, ScriptTables.Found> find(Connection connection, ScriptTables wanted) throws SQLException {
        Map<String, ScriptTables.Found> found = new LinkedHashMap<>();
        for (ScriptTables.Table table : wanted.tables()) {
            Map<String, String> definitions = new LinkedHashMap<>();
            List<String> key = new ArrayList<>();
            columns.all(
                    connection,
                    row -> {
                        definitions.put(row.getString("what"), row.getString("definition"));
                        return row.getBoolean("keyed") && key.add(row.getString("what"));
                    },
                    wanted.schema(),
                    table.bareName(),
                    table.key().toArray(String[]::new));
            if (!definitions.isEmpty()) {
                found.put(table.name(), new ScriptTables.Found(definitions, key));
            }
        }
        return found;
    }
}
