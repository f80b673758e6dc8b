package io.fenceline.jdbc.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables that a script of ours makes, to be compared with what is there. In a script each column has a line, which begins
 * with its name and goes on with its type.
 */
public record ScriptTables(List<Table> tables) {

    private static final Pattern TABLE =
            Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(\\S+) \\((.*?)\n\\)", Pattern.DOTALL);
    private static final Pattern COLUMN = Pattern.compile("^  ([a-z_]+) +(.*)$", Pattern.MULTILINE);
    private static final Pattern KEY = Pattern.compile("^  PRIMARY KEY \\((.*)\\)", Pattern.MULTILINE);

    /** What follows a column's type and is not compared. */
    private static final Pattern REST = Pattern.compile(
            "\\s*(--.*|,\\s*(--.*)?|DEFAULT .*|GENERATED .*|CHECK .*|AUTO_INCREMENT.*|PRIMARY KEY.*|CONSTRAINT .*)$");

    /**
     * A table.
     *
     * @param name as the script has it, perhaps with a schema and a dot
     * @param columns the columns' types, with {@code NOT NULL} where it is so
     */
    public record Table(String name, Map<String, String> columns, List<String> key) {

        /**
         * Returns its name.
         *
         * @return without a schema
         */
        public String bareName() {
            return name.substring(name.indexOf('.') + 1);
        }

        private List<String> differences(Map<String, String> found) {
            List<String> differences = new ArrayList<>();
            columns.forEach((column, definition) -> {
                String actual = found.getOrDefault(column, "missing");
                if (!definition.equals(actual)) {
                    differences.add(
                            "column " + column + " of " + name + " is " + actual + "; it should be: " + definition);
                }
            });
            return differences;
        }
    }

    /** A table that was found. */
    public record Found(Map<String, String> columns, List<String> key) {}

    /** Reads a script. */
    public static ScriptTables of(String script) {
        return new ScriptTables(
                TABLE.matcher(script).results().map(ScriptTables::table).toList());
    }

    private static Table table(MatchResult found) {
        Map<String, String> columns = new LinkedHashMap<>();
        List<String> key = new ArrayList<>();
        COLUMN.matcher(found.group(2)).results().forEach(column -> {
            columns.put(column.group(1), definition(column.group(2)));
            if (column.group(2).contains("PRIMARY KEY")) {
                key.add(column.group(1));
            }
        });
        Matcher keys = KEY.matcher(found.group(2));
        if (keys.find()) {
            key.addAll(Arrays.asList(keys.group(1).split(", ")));
        }
        return new Table(found.group(1), columns, key);
    }

    private static String definition(String line) {
        String rest = line;
        for (Matcher more = REST.matcher(rest); more.find(); more = REST.matcher(rest)) {
            rest = rest.substring(0, more.start());
        }
        return rest.strip().replaceAll(" +", " ");
    }

    /**
     * Returns the schema that the script names.
     *
     * @return the schema; empty if the connection's own is meant
     */
    public String schema() {
        String name = tables.get(0).name();
        return name.substring(0, Math.max(0, name.indexOf('.')));
    }

    /**
     * Compares.
     *
     * @param lookup what was found of a table; empty if there is none
     * @return a line for each thing that is missing or different
     */
    public List<String> problems(Lookup lookup) {
        List<String> problems = new ArrayList<>();
        for (Table table : tables) {
            Optional<Found> found = lookup.of(table);
            if (found.isEmpty()) {
                problems.add("table " + table.name() + " is missing");
                continue;
            }
            problems.addAll(table.differences(found.get().columns()));
            if (!table.key().isEmpty()
                    && !sorted(table.key()).equals(sorted(found.get().key()))) {
                problems.add("the primary key of " + table.name() + " is missing");
            }
        }
        return problems;
    }

    private static List<String> sorted(List<String> names) {
        return names.stream().sorted().toList();
    }

    /** Tells what was found. */
    @FunctionalInterface
    public interface Lookup {

        /**
         * Looks for a table.
         *
         * @param table as the script has it
         * @return what was found, or empty
         */
        Optional<Found> of(Table table);
    }
}
