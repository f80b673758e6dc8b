package io.fenceline.jdbc.trigger;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A database product that has triggers: installs and inspects them, and shows them stamps. Stateless. */
abstract class TriggerProduct {

    private final String name;
    private final SqlFile statements;
    private final Sql setStamp;
    private final Sql clearStamp;

    TriggerProduct(String name, String file) {
        this.name = name;
        this.statements = SqlFile.of(TriggerProduct.class, file);
        this.setStamp = sql("set_stamp");
        this.clearStamp = sql("clear_stamp");
    }

    final String name() {
        return name;
    }

    final Sql sql(String statement) {
        return statements.sql(statement);
    }

    final String text(String statement) {
        return statements.text(statement);
    }

    /** Returns the dialect for a table of fences. */
    abstract TriggerDialect dialect(Connection connection, String fences) throws SQLException;

    /** Runs first in a transaction that changes guards, so that it sees what others commit meanwhile. */
    void begin(Statement statement) throws SQLException {}

    /** Tells whether there is a table. */
    abstract boolean hasTable(Connection connection, String table) throws SQLException;

    /** Returns the key columns that the table lacks. */
    abstract List<String> missingColumns(Connection connection, GuardedTable table) throws SQLException;

    /**
     * Makes sure that the table is there.
     *
     * @throws IllegalArgumentException if it is not
     */
    final void requireTable(Connection connection, String table) throws SQLException {
        if (!hasTable(connection, table)) {
            throw new IllegalArgumentException("there is no table " + table + " in this database");
        }
    }

    /**
     * Makes sure that the table and its key are there: some triggers find out only when they run.
     *
     * @throws IllegalArgumentException if they are not
     */
    final void requireKey(Connection connection, GuardedTable table) throws SQLException {
        requireTable(connection, table.table());
        List<String> missing = missingColumns(connection, table);
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("table " + table.table() + " has no column " + String.join(", ", missing)
                    + "; name the columns of its key");
        }
    }

    /** Returns what observing triggers have counted beside a table of fences. */
    abstract List<ObservedWrites> observed(Connection connection, String fences) throws SQLException;

    final void set(Connection connection, FenceStamp stamp) throws SQLException {
        setStamp.one(connection, row -> true, stamp.token().value(), stamp.key().value());
    }

    final void clear(Connection connection) throws SQLException {
        clearStamp.one(connection, row -> true);
    }

    /** Shows a stamp, and returns the one that has to be shown again by {@link #hide}. */
    Optional<FenceStamp> show(Connection connection, FenceStamp stamp, String resource) throws SQLException {
        set(connection, stamp);
        return Optional.empty();
    }

    /** Takes back what was shown, where it does not end with the transaction. */
    void hide(Connection connection, Optional<FenceStamp> before) throws SQLException {}

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
}
