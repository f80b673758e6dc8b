package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares the tables of PostgreSQL, and their triggers. */
final class PostgresTables extends FoundTables {

    static final FoundTables FOUND = new PostgresTables();

    private static final Sql TRIGGERED = PostgresLocks.SQL.sql("triggered");
    private static final Pattern TRIGGER = Pattern.compile("CREATE TRIGGER (\\w+) .*? ON (\\S+)");

    private PostgresTables() {
        super(PostgresLocks.SQL.sql("columns"));
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        List<String> problems = new ArrayList<>(super.problems(connection, script));
        for (Matcher trigger = TRIGGER.matcher(script); trigger.find(); ) {
            String table = trigger.group(2);
            if (!problems.contains("table " + table + " is missing")
                    && TRIGGERED
                            .one(connection, row -> true, table, trigger.group(1))
                            .isEmpty()) {
                problems.add("the trigger " + trigger.group(1) + " of " + table + " is missing");
            }
        }
        return problems;
    }
}
