package io.fenceline.jdbc.trigger;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Installs and inspects triggers on SQLite. */
final class SqliteTriggerProduct extends TriggerProduct {

    SqliteTriggerProduct() {
        super("SQLite", "sqlite-statements.sql");
    }

    @Override
    TriggerDialect dialect(Connection connection, String fences) {
        if (!fences.equals("fenceline_fences")) {
            throw new IllegalArgumentException(
                    "fences is '" + fences + "'; on SQLite triggers support only the table fenceline_fences");
        }
        return new SqliteTriggers();
    }

    @Override
    boolean hasTable(Connection connection, String table) throws SQLException {
        return !columns(connection, table).isEmpty();
    }

    @Override
    List<String> missingColumns(Connection connection, GuardedTable table) throws SQLException {
        List<String> columns = columns(connection, table.table());
        return SqliteTriggers.key(table).stream()
                .map(SqlName::last)
                .filter(column -> columns.stream().noneMatch(column::equalsIgnoreCase))
                .toList();
    }

    private List<String> columns(Connection connection, String table) throws SQLException {
        String name = SqliteTriggers.tableName(table).last();
        return sql("columns").all(connection, row -> row.getString(1), name);
    }

    @Override
    List<ObservedWrites> observed(Connection connection, String fences) throws SQLException {
        return sql("is_observed").one(connection, row -> true).isPresent()
                ? sql("observed").all(connection, TriggerProduct::observedWrites)
                : List.of();
    }

    /** {@inheritDoc} Under ONCE a trigger asks whether the resource's fence was taken as written by this transaction. */
    @Override
    Optional<FenceStamp> show(Connection connection, FenceStamp stamp, String resource) throws SQLException {
        if (!takesStamps(connection)) {
            return Optional.empty();
        }
        Optional<FenceStamp> before = sql("stamp")
                .one(connection, row -> new FenceStamp(LockKey.of(row.getString(2)), FencingToken.of(row.getLong(1))));
        set(connection, stamp);
        sql("written").run(connection, resource);
        return before;
    }

    /** {@inheritDoc} Here it would fail the commit. */
    @Override
    void hide(Connection connection, Optional<FenceStamp> before) throws SQLException {
        if (!takesStamps(connection)) {
            return;
        }
        if (before.isPresent()) {
            set(connection, before.get());
        } else {
            clear(connection);
        }
    }

    /** Tells whether there are triggers at all, and foreign keys to keep their stamps from being committed. */
    private boolean takesStamps(Connection connection) throws SQLException {
        return sql("takes_stamps").one(connection, row -> true).isPresent();
    }
}
