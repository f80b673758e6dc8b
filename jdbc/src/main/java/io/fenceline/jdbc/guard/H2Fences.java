package io.fenceline.jdbc.guard;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.h2.H2Dialect;
import io.fenceline.jdbc.h2.H2Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * Fences on H2: updates the row, and inserts one if there is none. If somebody else inserts it first, the update runs again. A
 * condition on a row that was waited for is evaluated again on the row as it is then.
 */
final class H2Fences extends ByteNameDialect {

    static final FenceDialect DIALECT = new H2Fences();

    private static final int DUPLICATE_KEY = 23505;

    /** Deadlock, row changed meanwhile at a strict isolation level, row locked for longer than LOCK_TIMEOUT, two seconds as a rule. */
    private static final Set<Integer> CONFLICTS = Set.of(40001, 90131, 50200);

    private static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)";

    private static final String RAISE = """
            UPDATE fenceline_fences
               SET highest = ?3, written = %s, updated_at = %s
             WHERE resource = ?1 AND lock_key = ?2 AND highest <= ?3""";

    private static final String AND_NOT_WRITTEN = " AND written < ?3";

    private static final String MAKE = """
            INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
            SELECT ?1, ?2, ?3, %s, %s
             WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences WHERE resource = ?1)""";

    private static final String RAISE_CLOCK = """
            UPDATE fenceline_fences_clock
               SET last_number = ?2
             WHERE name = ?1 AND last_number < ?2""";

    private static final String MAKE_CLOCK = """
            INSERT INTO fenceline_fences_clock (name, last_number)
            SELECT ?1, ?2
             WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences_clock WHERE name = ?1)""";

    private static final String COUNT = """
            SELECT last_number FROM FINAL TABLE (
              UPDATE fenceline_fences_clock SET last_number = last_number + 1 WHERE name = ?1 AND last_number < ?2)""";

    private static final String COUNT_FIRST = """
            SELECT last_number FROM FINAL TABLE (
              INSERT INTO fenceline_fences_clock (name, last_number)
              SELECT ?1, 1 WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences_clock WHERE name = ?1))""";

    /** Its number; none before the first change. */
    private static final Sql TRANSACTION = new Sql("SELECT TRANSACTION_ID()");

    private static final Sql COLUMN = new Sql("""
            SELECT DATA_TYPE, COLLATION_NAME FROM INFORMATION_SCHEMA.COLUMNS
             WHERE UPPER(TABLE_SCHEMA) = UPPER(?1) AND UPPER(TABLE_NAME) = UPPER(?2) AND UPPER(COLUMN_NAME) = UPPER(?3)""");

    private H2Fences() {
        super(new H2Dialect(), DUPLICATE_KEY, CONFLICTS);
    }

    @Override
    public List<Step> write(FenceRule rule) {
        String raise = RAISE.formatted("?3", NOW) + (rule == FenceRule.ONCE ? AND_NOT_WRITTEN : "");
        return entering(raise, MAKE.formatted("?3", NOW));
    }

    @Override
    public List<Step> claim() {
        return entering(RAISE.formatted("written", NOW), MAKE.formatted("0", NOW));
    }

    @Override
    public List<Step> raiseClock() {
        return entering(RAISE_CLOCK, MAKE_CLOCK);
    }

    private static List<Step> entering(String update, String insert) {
        return List.of(Step.one(update), Step.one(insert), Step.one(update));
    }

    @Override
    public String now() {
        return NOW;
    }

    @Override
    public List<String> nextNumber() {
        return List.of(COUNT, COUNT_FIRST, COUNT);
    }

    @Override
    public TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        int dot = table.lastIndexOf('.');
        return COLUMN.one(
                        connection,
                        row -> comparison(row.getString(1), String.valueOf(row.getString(2))),
                        dot < 0 ? connection.getSchema() : table.substring(0, dot),
                        table.substring(dot + 1),
                        column)
                .orElse(TextComparison.EXACT);
    }

    private static TextComparison comparison(String type, String collation) {
        if (type.contains("IGNORECASE") || !(collation.equals("OFF") || collation.equals("null"))) {
            return TextComparison.LOOSE;
        }
        return type.equals("CHARACTER") ? TextComparison.PADDED : TextComparison.EXACT;
    }

    @Override
    public String quoted(String identifier) {
        return QuotedName.of(identifier, '"', '"');
    }

    @Override
    public String script(String part) {
        return GuardScript.text("h2", part);
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        return H2Tables.problems(connection, ScriptTables.of(script));
    }

    /** {@inheritDoc} A deadlock undoes all of the transaction, and what makes a table commits it. */
    @Override
    public Unbroken watch(Connection connection) throws SQLException {
        return BrokenTransaction.watch("H2", connection, TRANSACTION);
    }
}
