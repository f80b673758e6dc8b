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
        }
        return problems;
    }
}
