package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.dialect.FoundTables;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Compares tables with what is expected. */
public final class MariaDbTables {

    /**
     * Widths of whole numbers differ between versions and mean nothing. How a text compares is told only where it is asked for.
     */
    private static final FoundTables FOUND = new FoundTables("""
            SELECT LOWER(column_name) AS what,
                   CONCAT(UPPER(REGEXP_REPLACE(column_type, '^(bigint|int)\\\\([0-9]+\\\\)', '\\\\1')),
                          CASE WHEN character_set_name IS NULL THEN '' ELSE CONCAT(' CHARACTER SET ', character_set_name) END,
                          CASE WHEN collation_name LIKE '%\\\\_bin' THEN CONCAT(' COLLATE ', collation_name) ELSE '' END,
                          CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END) AS definition,
                   column_key = 'PRI' AS keyed
              FROM information_schema.columns
             WHERE table_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND table_name = ?2""");

    private static final Sql OTHER_ENGINE = new Sql("""
            SELECT engine
              FROM information_schema.tables
             WHERE table_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND table_name = ?2 AND UPPER(engine) <> 'INNODB'""");

    private MariaDbTables() {}

    /**
     * Compares the tables of a script of ours with what is there.
     *
     * @param connection where
     * @param wanted what should be there
     * @return a line for each thing that is missing or different
     * @throws SQLException if the database refuses or does not answer
     */
    public static List<String> problems(Connection connection, ScriptTables wanted) throws SQLException {
        List<String> problems = new ArrayList<>(FOUND.problems(connection, wanted));
        for (ScriptTables.Table table : wanted.tables()) {
            OTHER_ENGINE
                    .one(connection, row -> row.getString(1), wanted.schema(), table.bareName())
                    .ifPresent(engine -> problems.add(
                            "table " + table.name() + " has the engine " + engine + "; it should be InnoDB"));
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
        FOUND.ensureOurs(connection, wanted);
    }
}
