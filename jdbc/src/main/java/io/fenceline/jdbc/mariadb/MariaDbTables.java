package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.jdbc.sql.ScriptTables;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Compares the tables of MariaDB and MySQL, and their engines. */
final class MariaDbTables extends FoundTables {

    static final FoundTables FOUND = new MariaDbTables();

    private static final Sql OTHER_ENGINE = MariaDbLocks.SQL.sql("other_engine");
    private static final int TABLE_ACCESS_DENIED = 1142;

    /** What only operators write. */
    private static final String AUDIT = "_audit";

    private MariaDbTables() {
        super(MariaDbLocks.SQL.sql("columns"));
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        List<String> problems = new ArrayList<>(super.problems(connection, script));
        ScriptTables wanted = ScriptTables.of(script);
        for (ScriptTables.Table table : wanted.tables()) {
            OTHER_ENGINE
                    .one(connection, row -> row.getString(1), wanted.schema(), table.bareName())
                    .ifPresent(engine -> problems.add(
                            "table " + table.name() + " has the engine " + engine + "; it should be InnoDB"));
            String missing = "table " + table.name() + " is missing";
            if (problems.contains(missing) && isDenied(connection, table)) {
                problems.remove(missing);
                if (!table.name().endsWith(AUDIT)) {
                    problems.add(missing + ", or this user has no right on it");
                }
            }
        }
        return problems;
    }

    /** A user is shown no table without a right on it, and is not told whether it is there. */
    private static boolean isDenied(Connection connection, ScriptTables.Table table) throws SQLException {
        try {
            new Sql("SELECT 1 FROM " + table.name() + " WHERE 1 = 0").one(connection, row -> true);
            return false;
        } catch (SQLException e) {
            return e.getErrorCode() == TABLE_ACCESS_DENIED;
        }
    }
}
