package io.fenceline.jdbc.h2;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.product.ByteNameFences;
import io.fenceline.jdbc.product.FenceStep;
import io.fenceline.jdbc.product.TextComparison;
import io.fenceline.jdbc.product.TransactionCheck;
import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.jdbc.sql.SqlNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Set;

/**
 * Fences on H2: updates the row, and inserts one if there is none. If somebody else inserts it first, the update runs again. A
 * condition on a row that was waited for is evaluated again on the row as it is then.
 */
final class H2FenceDialect extends ByteNameFences {

    private static final int DUPLICATE_KEY = 23505;

    /** Deadlock, row changed meanwhile at a strict isolation level, row locked for longer than LOCK_TIMEOUT, two seconds as a rule. */
    private static final Set<Integer> CONFLICTS = Set.of(40001, 90131, 50200);

    H2FenceDialect() {
        super(DUPLICATE_KEY, CONFLICTS);
    }

    @Override
    public List<FenceStep> write(FenceRule rule) {
        String raise = rule == FenceRule.ONCE ? "raise_written_once" : "raise_written";
        return steps(raise, "make_written", raise);
    }

    @Override
    public List<FenceStep> claim() {
        return steps("raise_claimed", "make_claimed", "raise_claimed");
    }

    @Override
    public List<FenceStep> raiseClock() {
        return steps("raise_clock", "make_clock", "raise_clock");
    }

    @Override
    public List<String> nextNumber() {
        return List.of(sql.text("count"), sql.text("count_first"), sql.text("count"));
    }

    /** {@inheritDoc} DECFLOAT rounds to a number of digits, wherever the point is. */
    @Override
    public int columnType(int type, String typeName) {
        return typeName.equals("DECFLOAT") ? Types.OTHER : type;
    }

    @Override
    public TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        int dot = table.lastIndexOf('.');
        return sql.sql("column")
                .one(
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
        return SqlNames.quoted(identifier, '"');
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        return new FoundTables(H2Locks.SQL.sql("columns")).problems(connection, script);
    }

    /** {@inheritDoc} A deadlock undoes all of the transaction, and what makes a table commits it. */
    @Override
    public TransactionCheck watch(Connection connection) throws SQLException {
        return TransactionCheck.byId("H2", connection, sql.sql("transaction"));
    }
}
