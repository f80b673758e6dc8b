package io.fenceline.jdbc.trigger;

import io.fenceline.FencingToken;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A database product, as far as the installation of triggers depends on it. Stateless. */
interface TriggerProduct {

    /** The name that its driver tells. */
    String name();

    /** The dialect for a table of fences. */
    TriggerDialect dialect(Connection connection, String fences) throws SQLException;

    /**
     * Makes sure that the table and its key are there: some triggers find out only when they run.
     *
     * @throws IllegalArgumentException if they are not
     */
    void requireTable(Connection connection, GuardedTable table) throws SQLException;

    /** What observing triggers have counted beside a table of fences. */
    List<ObservedWrites> observed(Connection connection, String fences) throws SQLException;

    /** Reads {@code table_name, operation, reason, presented, highest, seen, first_at, last_at}, times in milliseconds. */
    static ObservedWrites observedWrites(ResultSet row) throws SQLException {
        return new ObservedWrites(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                token(row, 4),
                token(row, 5),
                row.getLong(6),
                Instant.ofEpochMilli(row.getLong(7)),
                Instant.ofEpochMilli(row.getLong(8)));
    }

    private static Optional<FencingToken> token(ResultSet row, int column) throws SQLException {
        long token = row.getLong(column);
        return token >= 1 && token <= FencingToken.MAX_VALUE ? Optional.of(FencingToken.of(token)) : Optional.empty();
    }

    /** The complaint about a table that is not there as it was named. */
    static IllegalArgumentException missing(GuardedTable table, List<String> columns) {
        return new IllegalArgumentException(
                columns.isEmpty()
                        ? "there is no table " + table.table() + " in this database"
                        : "table " + table.table() + " has no column " + String.join(", ", columns)
                                + "; name the columns of its key");
    }
}
