package io.fenceline.jdbc.h2;

import io.fenceline.jdbc.dialect.FoundTables;
import io.fenceline.jdbc.dialect.ScriptTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Compares tables with what is expected. The names of the catalog are in upper case, as they are whatever the database does to others. */
public final class H2Tables {

    private static final FoundTables FOUND = new FoundTables("""
            SELECT LOWER(its.COLUMN_NAME) AS what,
                   CASE its.DATA_TYPE WHEN 'BINARY VARYING' THEN 'VARBINARY' WHEN 'CHARACTER VARYING' THEN 'VARCHAR'
                                      WHEN 'BINARY LARGE OBJECT' THEN 'BLOB' ELSE its.DATA_TYPE END
                   || CASE WHEN its.DATA_TYPE LIKE '% VARYING' THEN '(' || its.CHARACTER_MAXIMUM_LENGTH || ')' ELSE '' END
                   || CASE its.IS_NULLABLE WHEN 'NO' THEN ' NOT NULL' ELSE '' END AS definition,
                   EXISTS (SELECT 1
                             FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS keys
                             JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS used
                                  USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME)
                            WHERE keys.CONSTRAINT_TYPE = 'PRIMARY KEY' AND used.TABLE_SCHEMA = its.TABLE_SCHEMA
                              AND used.TABLE_NAME = its.TABLE_NAME AND used.COLUMN_NAME = its.COLUMN_NAME) AS keyed
              FROM INFORMATION_SCHEMA.COLUMNS AS its
             WHERE LOWER(its.TABLE_SCHEMA) = LOWER(COALESCE(NULLIF(?1, ''), SCHEMA())) AND LOWER(its.TABLE_NAME) = ?2""");

    private H2Tables() {}

    /**
     * Compares the tables of a script of ours with what is there.
     *
     * @param connection where
     * @param wanted what should be there
     * @return a line for each thing that is missing or different
     * @throws SQLException if the database refuses or does not answer
     */
    public static List<String> problems(Connection connection, ScriptTables wanted) throws SQLException {
        return FOUND.problems(connection, wanted);
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
