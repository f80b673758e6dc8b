package io.fenceline.sqlite;

import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.GuardedTables;
import io.fenceline.jdbc.trigger.ObservedWrites;
import io.fenceline.jdbc.trigger.TriggerControl;
import java.util.List;

/** The triggers of tables that are in the same file as the locks. */
final class SqliteTriggerControl implements TriggerControl {

    private final SqliteStore store;

    SqliteTriggerControl(SqliteStore store) {
        this.store = store;
    }

    @Override
    public List<String> install(GuardedTable table) {
        return store.changeSchema(connection -> GuardedTables.install(connection, table, FenceTable.DEFAULT_NAME));
    }

    @Override
    public void remove(String table) {
        store.changeSchema(connection -> {
            GuardedTables.remove(connection, table, FenceTable.DEFAULT_NAME);
            return true;
        });
    }

    @Override
    public List<ObservedWrites> observed() {
        return store.read(
                statements ->
                        statements.with(connection -> GuardedTables.observed(connection, FenceTable.DEFAULT_NAME)),
                List.of());
    }
}
