package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.sql.ScriptFiles;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Functions of version 2 of the schema.
 *
 * @param script makes them
 * @param bodies each body by its function's name, which has the schema if the table's name has it
 */
record SchemaFunctions(String script, Map<String, String> bodies, Sql search) {

    private static final Pattern FUNCTION =
            Pattern.compile("CREATE OR REPLACE FUNCTION ([^(]+)\\(.*?AS \\$\\$(.*?)\\$\\$", Pattern.DOTALL);

    static SchemaFunctions beside(LockTable table) {
        String script = table.in(ScriptFiles.read(SchemaFunctions.class, "schema-2.sql"));
        return new SchemaFunctions(
                script,
                FUNCTION.matcher(script)
                        .results()
                        .collect(Collectors.toUnmodifiableMap(
                                function -> function.group(1), function -> function.group(2))),
                PostgresLocks.SQL.with(table::in).sql("functions"));
    }

    /** Looks for each as a call does. Finds nothing, not even that they are missing, where the table of the locks is missing. */
    List<Found> find(Connection connection) throws SQLException {
        return search.all(connection, this::read, (Object) bodies.keySet().toArray(String[]::new));
    }

    private Found read(ResultSet row) throws SQLException {
        String name = row.getString("name");
        // The table may have been named with its schema or without.
        String schema = row.getString("home") + ".";
        String ours = bodies.getOrDefault(name, "").replace(schema, "");
        return new Found(
                name,
                row.getBoolean("is_there"),
                ours.equals(String.valueOf(row.getString("body")).replace(schema, "")),
                row.getBoolean("is_allowed"),
                row.getBoolean("can_be_made"),
                row.getString("home"));
    }

    /**
     * A function as it was found.
     *
     * @param isOurs whether its body is as this version makes it
     * @param isAllowed whether the role may execute it
     * @param canBeMade whether the role may make functions where the table is
     * @param home the schema of the table, quoted
     */
    record Found(String name, boolean isThere, boolean isOurs, boolean isAllowed, boolean canBeMade, String home) {}
}
