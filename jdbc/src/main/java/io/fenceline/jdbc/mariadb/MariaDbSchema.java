package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.product.LockDialect;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.ScriptSchema;
import io.fenceline.jdbc.sql.ScriptStatements;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables and procedures of a lock store, and the tables of the fences beside it. */
final class MariaDbSchema extends ScriptSchema {

    /** The name of a procedure, and its version: a procedure whose body changes gets the next one. */
    private static final Pattern PROCEDURE =
            Pattern.compile("CREATE PROCEDURE IF NOT EXISTS ([^(]+)\\([^;]*? COMMENT 'Fenceline ([0-9]+)'");

    private static final Pattern COMMENT = Pattern.compile("Fenceline ([0-9]{1,9})");

    private static final Sql PROCEDURES = MariaDbLocks.SQL.sql("procedures");
    private static final String CREATE = "CREATE PROCEDURE IF NOT EXISTS ";

    private final LockTable table;
    private final boolean replaces;

    /** Creates the schema of a store; {@code replaces} tells whether the product can replace a procedure in one statement. */
    MariaDbSchema(LockStore store, LockDialect dialect, String script, boolean replaces) {
        super(store.database(), dialect, script);
        this.table = store.table();
        this.replaces = replaces;
    }

    @Override
    protected void install(Connection connection) throws SQLException {
        List<String> outdated = outdated(connection);
        try (Statement statement = connection.createStatement()) {
            for (String sql : new ScriptStatements(schemaScript()).statements()) {
                for (String step : replacing(outdated, sql)) {
                    statement.execute(step);
                }
            }
        }
    }

    /**
     * Returns what runs in the place of a statement of the script. Other processes call the procedures meanwhile, and a role that may
     * drop one need not be allowed to create it.
     */
    private List<String> replacing(List<String> outdated, String sql) {
        Optional<String> replaced = outdated.stream()
                .filter(name -> sql.startsWith(CREATE + name + "("))
                .findFirst();
        if (replaced.isEmpty()) {
            return List.of(sql);
        }
        return replaces
                ? List.of(sql.replaceFirst(CREATE, "CREATE OR REPLACE PROCEDURE "))
                : List.of(
                        sql,
                        "DROP PROCEDURE IF EXISTS " + replaced.get(),
                        sql); // the first is refused without the right
    }

    @Override
    protected List<String> problems(Connection connection) throws SQLException {
        List<String> problems = new ArrayList<>(super.problems(connection));
        Map<String, String> found = procedures(connection);
        wanted().forEach((name, version) -> {
            String comment = found.get(bare(name));
            if (comment == null) {
                problems.add("procedure " + name + " is missing, or may not be executed");
            } else if (isOutdated(comment, version)) {
                problems.add("procedure " + name + " is of version " + comment.replaceAll("\\D", "")
                        + " and should be of version " + version
                        + "; without 'fenceline schema install', run DROP PROCEDURE "
                        + name + " before the script");
            } else if (!comment.equals("Fenceline " + version)) {
                problems.add("procedure " + name + " says '" + comment + "'; it should be of version " + version);
            }
        });
        return problems;
    }

    /** Returns the procedures that an earlier version of Fenceline made, which the script would leave as they are. */
    private List<String> outdated(Connection connection) throws SQLException {
        Map<String, String> found = procedures(connection);
        return wanted().entrySet().stream()
                .filter(procedure -> isOutdated(found.getOrDefault(bare(procedure.getKey()), ""), procedure.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean isOutdated(String comment, int version) {
        Matcher found = COMMENT.matcher(comment);
        return found.matches() && Integer.parseInt(found.group(1)) < version;
    }

    /** Returns the version of each procedure of the script, by its name. */
    private Map<String, Integer> wanted() {
        Map<String, Integer> wanted = new TreeMap<>();
        PROCEDURE
                .matcher(schemaScript())
                .results()
                .forEach(procedure -> wanted.put(procedure.group(1), Integer.valueOf(procedure.group(2))));
        return wanted;
    }

    private Map<String, String> procedures(Connection connection) throws SQLException {
        Map<String, String> found = new TreeMap<>();
        int dot = table.name().indexOf('.');
        PROCEDURES.all(
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
