package io.fenceline.jdbc.h2;

import io.fenceline.jdbc.product.ByteNameFences;
import io.fenceline.jdbc.product.TextComparison;
import io.fenceline.jdbc.product.TransactionCheck;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Fences on H2. */
final class H2FenceDialect extends ByteNameFences {

    private static final int DUPLICATE_KEY = 23505;

    /** Deadlock, row changed meanwhile at a strict isolation level, row locked for longer than LOCK_TIMEOUT, two seconds as a rule. */
    private static final Set<Integer> CONFLICTS = Set.of(40001, 90131, 50200);

    H2FenceDialect() {
        super(DUPLICATE_KEY, CONFLICTS);
    }

    /** {@inheritDoc} DECFLOAT rounds to a number of digits, wherever the point is. */
    @Override
    public int columnType(int type, String typeName) {
        return typeName.equals("DECFLOAT") ? Types.OTHER : type;
    }

    /** {@inheritDoc} The column is that of the current schema. If there is none, a path may lead to any of the name. */
    @Override
    public TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        int dot = table.lastIndexOf('.');
        String name = table.substring(dot + 1);
        List<TextComparison> found =
                comparisons(connection, dot < 0 ? connection.getSchema() : table.substring(0, dot), name, column);
        if (found.isEmpty() && dot < 0) {
            found = comparisons(connection, "", name, column);
        }
        return found.stream().max(Comparator.naturalOrder()).orElse(TextComparison.LOOSE);
    }

    private List<TextComparison> comparisons(Connection connection, String schema, String table, String column)
            throws SQLException {
        return sql.sql("column")
                .all(
                        connection,
                        row -> comparison(row.getString(1), String.valueOf(row.getString(2))),
                        schema,
                        table,
                        column);
    }

    private static TextComparison comparison(String type, String collation) {
        if (type.contains("IGNORECASE") || !(collation.equals("OFF") || collation.equals("null"))) {
            return TextComparison.LOOSE;
        }
        return type.equals("CHARACTER") ? TextComparison.PADDED : TextComparison.EXACT;
    }

    /** {@inheritDoc} For the reason of {@link #latest}: a refused statement may have waited for the row, and has locked it. */
    @Override
    public boolean commitsRefusals() {
        return true;
    }

    /**
     * {@inheritDoc} Not with a lock: when a transaction that has waited for a row is rolled back, as after a refusal, H2 can undo what
     * others have committed in it meanwhile.
     */
    @Override
    public String latest(String query) {
        return query;
    }

    /** {@inheritDoc} A deadlock undoes all of the transaction, and what makes a table commits it. */
    @Override
    public TransactionCheck watch(Connection connection) throws SQLException {
        return TransactionCheck.byId("H2", connection, sql.sql("transaction"));
    }
}
