package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.dialect.OwnTables;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares tables with what is expected. */
public final class PostgresTables {

    static final Sql MISSING = new Sql("""
            SELECT what FROM unnest(?1::text[]) AS wanted (what) WHERE to_regclass(what) IS NULL""");

    /** What is expected and not so, as {@code table.column type}. */
    static final Sql DIFFERENT = new Sql("""
            WITH expected AS (
                SELECT split_part(line, ' ', 1) AS tab, split_part(line, ' ', 2) AS col,
                       substr(line, length(split_part(line, ' ', 1) || split_part(line, ' ', 2)) + 3) AS definition
                  FROM unnest(?1::text[]) AS line
            ), found AS (
                SELECT expected.tab, attname,
                       format_type(atttypid, atttypmod) || CASE WHEN collname = 'C' THEN ' COLLATE "C"' ELSE '' END
                       || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS definition
                  FROM (SELECT DISTINCT tab FROM expected) AS expected
                  JOIN pg_attribute ON attrelid = to_regclass(expected.tab) AND attnum > 0 AND NOT attisdropped
                  LEFT JOIN pg_collation ON pg_collation.oid = attcollation
            )
            SELECT format('column %s of %s is %s; it should be: %s', expected.col, expected.tab,
                          coalesce(found.definition, 'missing'), expected.definition)
              FROM expected LEFT JOIN found ON found.tab = expected.tab AND found.attname = expected.col
             WHERE found.definition IS DISTINCT FROM expected.definition AND to_regclass(expected.tab) IS NOT NULL
             ORDER BY 1""");

    private static final Sql COLUMNS = new Sql("""
            SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?1) AND attnum > 0 AND NOT attisdropped""");

    private static final Sql TRIGGERED = new Sql("""
            SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass(?1) AND tgname = ?2 AND tgenabled <> 'D'""");

    private static final Pattern TABLE =
            Pattern.compile("CREATE TABLE IF NOT EXISTS (\\S+) \\((.*?)\n\\)", Pattern.DOTALL);
    private static final Pattern COLUMN =
            Pattern.compile("^  ([a-z_]+) +(text COLLATE \"C\"|\\w+)( +NOT NULL)?.*$", Pattern.MULTILINE);
    private static final Pattern TRIGGER = Pattern.compile("CREATE TRIGGER (\\w+) .*? ON (\\S+)");

    private PostgresTables() {}

    /**
     * Compares the tables and triggers of a script of ours with what is there.
     *
     * @param connection where
     * @param script makes the tables, one column a line
     * @return a line for each thing that is missing or different
     * @throws SQLException if the database refuses or does not answer
     */
    public static List<String> problems(Connection connection, String script) throws SQLException {
        List<String> tables = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        TABLE.matcher(script).results().forEach(table -> {
            tables.add(table.group(1));
            COLUMN.matcher(table.group(2))
                    .results()
                    .forEach(column -> columns.add(table.group(1) + " " + column.group(1)
                            + " " + column.group(2).replace("timestamptz", "timestamp with time zone")
                            + (column.group(3) == null ? "" : " NOT NULL")));
        });
        List<String> missing = MISSING.all(connection, row -> row.getString(1), (Object) tables.toArray(String[]::new));
        List<String> problems = new ArrayList<>();
        missing.forEach(table -> problems.add("table " + table + " is missing"));
        problems.addAll(DIFFERENT.all(connection, row -> row.getString(1), (Object) columns.toArray(String[]::new)));
        for (Matcher trigger = TRIGGER.matcher(script); trigger.find(); ) {
            String table = trigger.group(2);
            if (!missing.contains(table)
                    && TRIGGERED
                            .one(connection, row -> true, table, trigger.group(1))
                            .isEmpty()) {
                problems.add("the trigger " + trigger.group(1) + " of " + table + " is missing");
            }
        }
        return problems;
    }

    /**
     * Refuses tables of these names that belong to another program or layout.
     *
     * @param connection where
     * @param wanted what should be there
     * @throws SQLException if the database refuses or does not answer
     * @throws io.fenceline.BackendException if a table is there and lacks a column
     */
    public static void ensureOurs(Connection connection, ScriptTables wanted) throws SQLException {
        for (ScriptTables.Table table : wanted.tables()) {
            OwnTables.ensureOurs(
                    table.name(),
                    table.columns().keySet(),
                    COLUMNS.all(connection, row -> row.getString(1), table.name()));
        }
    }
}
