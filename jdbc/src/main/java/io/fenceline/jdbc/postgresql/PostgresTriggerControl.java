package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.Database;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.GuardedTables;
import io.fenceline.jdbc.trigger.ObservedWrites;
import io.fenceline.jdbc.trigger.TriggerControl;
import java.util.List;

/**
 * The triggers of a lock store's database, on the fences that go with its table of locks. An installation makes these itself, after it has
 * looked for others.
 */
final class PostgresTriggerControl implements TriggerControl {

    private final Database database;
    private final String fences;

    PostgresTriggerControl(Database database, FenceTable fences) {
        this.database = database;
        this.fences = fences.name();
    }

    @Override
    public List<String> install(GuardedTable table) {
        return database.changeAsItIs(connection -> GuardedTables.install(connection, table, fences));
    }

    @Override
    public void remove(String table) {
        database.changeAsItIs(connection -> {
            GuardedTables.remove(connection, table, fences);
            return true;
        });
    }

    @Override
    public List<ObservedWrites> observed() {
        return database.read(connection -> GuardedTables.observed(connection, fences), List.of());
    }
}
