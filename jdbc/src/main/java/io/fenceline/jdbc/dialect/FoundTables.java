package io.fenceline.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares tables by a query that tells a table's columns as {@code what}, {@code definition} and {@code keyed}. */
public final class FoundTables {

    private final Sql columns;

    /**
     * Creates the comparison.
     *
     * @param columns a query with the values schema, empty if it is the connection's own, and name of the table, in lower case; it
     *     returns a row for each column, with its type in the words of the script and whether it is part of the primary key
     */
    public FoundTables(String columns) {
        this.columns = new Sql(columns);
    }

    /**
     * Compares.
     *
     * @param connection where
     * @param wanted what should be there
     * @return a line for each thing that is missing or different
     * @throws SQLException if the database refuses or does not answer
     */
    public List<String> problems(Connection connection, ScriptTables wanted) throws SQLException {
        Map<String, ScriptTables.Found> found = find(connection, wanted);
        return wanted.problems(table -> Optional.ofNullable(found.get(table.name())));
    }

    /**
     * Refuses tables of these names that belong to another program or layout.
     *
     * @param connection where
     * @param wanted what should be there
     * @throws SQLException if the database refuses or does not answer
     * @throws io.fenceline.BackendException if a table is there and lacks a column
     */
    public void ensureOurs(Connection connection, ScriptTables wanted) throws SQLException {
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
                    table.bareName());
            if (!definitions.isEmpty()) {
                found.put(table.name(), new ScriptTables.Found(definitions, key));
            }
        }
        return found;
    }
}
