package io.fenceline.jdbc.postgresql;

import io.fenceline.guard.GuardedTable;
import io.fenceline.guard.ObservedWrites;
import io.fenceline.guard.TriggerControl;
import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.guard.FenceTable;
import io.fenceline.jdbc.trigger.GuardedTables;
import java.util.List;

/** The triggers of a lock store's database, on the fences that go with its table of locks. */
final class PostgresTriggerControl implements TriggerControl {

    private final Database database;
    private final String fences;

    PostgresTriggerControl(Database database, FenceTable fences) {
        this.database = database;
        this.fences = fences.name();
    }

    @Override
    public void install(GuardedTable table) {
        database.change(connection -> {
            GuardedTables.install(connection, table, fences);
            return true;
        });
    }

    @Override
    public void remove(String table) {
        database.change(connection -> {
            GuardedTables.remove(connection, table, fences);
            return true;
        });
    }

    @Override
    public List<ObservedWrites> observed() {
        return database.read(connection -> GuardedTables.observed(connection, fences), List.of());
    }
}
