package io.fenceline.jdbc.sqlserver;

import io.fenceline.jdbc.dialect.OwnTables;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Compares tables with what is expected: names only, types are not compared. */
public final class SqlServerTables {

    private static final Sql FOUND = new Sql("""
            SELECT LOWER(COLUMN_NAME)
              FROM INFORMATION_SCHEMA.COLUMNS
             WHERE LOWER(TABLE_NAME) = ?1""");

    private SqlServerTables() {}

    /**
     * Compares the tables of a script of ours with what is there.
     *
     * @param connection where
     * @param wanted what should be there
     * @return a line for each thing that is missing
     * @throws SQLException if the database refuses or does not answer
     */
    public static List<String> problems(Connection connection, ScriptTables wanted) throws SQLException {
        Map<String, ScriptTables.Found> found = new TreeMap<>();
        for (ScriptTables.Table table : wanted.tables()) {
            Map<String, String> columns = new TreeMap<>();
            FOUND.all(connection, row -> row.getString(1), table.bareName())
                    .forEach(name -> columns.put(name, table.columns().getOrDefault(name, "")));
            if (!columns.isEmpty()) {
                found.put(table.name(), new ScriptTables.Found(columns, table.key()));
            }
        }
        return wanted.problems(table -> Optional.ofNullable(found.get(table.name())));
    }

    /**
     * Refuses tables of these names that belong to another program or layout.
     *
     * @param connection where
     * @param wanted what should be there; tables of the same names in all schemas are taken together
     * @throws SQLException if the database refuses or does not answer
     * @throws io.fenceline.BackendException if a table is there and lacks a column
     */
    public static void ensureOurs(Connection connection, ScriptTables wanted) throws SQLException {
        for (ScriptTables.Table table : wanted.tables()) {
            OwnTables.ensureOurs(
                    table.name(),
                    table.columns().keySet(),
                    FOUND.all(connection, row -> row.getString(1), table.bareName()));
        }
    }
}
