package io.fenceline.jdbc.product;

import io.fenceline.jdbc.sql.TableNames;
import java.sql.SQLException;
import java.util.Set;

/**
 * The name of the table with the fences, and from it the names of what lies beside it.
 *
 * @param name lower-case letters, digits and underscores, {@value #MAX_LENGTH} at most, and before them a schema and a dot if
 *     wanted
 */
public record FenceTable(String name) {

    /** The name in our statements as they are written down. */
    public static final String DEFAULT_NAME = "fenceline_fences";

    /** PostgreSQL; MariaDB and others; H2. */
    private static final Set<String> MISSING = Set.of("42P01", "42S02", "42S03", "42S04");

    private static final int MAX_LENGTH = 47;

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public FenceTable {
        TableNames.check(name, MAX_LENGTH);
    }

    /**
     * Returns the fences that go with a table of locks: {@code fenceline_fences} beside {@code fenceline_lock}, {@code
     * x_fences} beside {@code x}. Locks of different tables have tokens that cannot be compared, so each has fences of its
     * own.
     *
     * @throws IllegalArgumentException if it is not the name of a table with locks
     */
    public static FenceTable beside(String locks) {
        String name = new LockTable(locks).name();
        return new FenceTable(
                name.endsWith(LockTable.DEFAULT_NAME)
                        ? name.replace(LockTable.DEFAULT_NAME, DEFAULT_NAME)
                        : name + "_fences");
    }

    /** Says how the table is made, where it is missing. */
    public SQLException explained(SQLException e) {
        return explained(
                e,
                name,
                "the table of fences " + name + " is missing; every guard of the database needs it: make it with"
                        + " JdbcFenceGuard");
    }

    /** The same of the table of clocks. */
    public SQLException explainedClock(SQLException e) {
        String clocks = name + "_clock";
        return explained(e, clocks, "the table " + clocks + " is missing: make it with SqlGenerationClock");
    }

    private static SQLException explained(SQLException e, String table, String problem) {
        boolean isMissing = MISSING.contains(String.valueOf(e.getSQLState()))
                || String.valueOf(e.getMessage()).contains("no such table");
        if (!isMissing || !String.valueOf(e.getMessage()).contains(table.substring(table.indexOf('.') + 1))) {
            return e;
        }
        return new SQLException(
                problem + ".on(dataSource).schema().installSchema(), or run the script of schemaScript(): "
                        + e.getMessage(),
                e.getSQLState(),
                e.getErrorCode(),
                e);
    }

    /**
     * Puts the names into statements.
     *
     * @param sql statements with {@value #DEFAULT_NAME} where the table is meant, and at the start of other names
     */
    public String in(String sql) {
        return sql.replace(DEFAULT_NAME, name);
    }
}
