package io.fenceline.sqlite;

import io.fenceline.spi.SchemaControl;
import java.util.List;
import java.util.Map;

/** Prints, makes and checks the tables of a store. */
final class SqliteSchemaControl implements SchemaControl {

    private final SqliteStore store;
    private final SqliteSchema schema;

    SqliteSchemaControl(SqliteStore store) {
        this.store = store;
        this.schema = new SqliteSchema(store.path());
    }

    @Override
    public String schemaScript() {
        return schema.script();
    }

    @Override
    public void installSchema() {
        store.make();
    }

    @Override
    public List<String> schemaProblems() {
        return schema.problems(store.read(SqliteSchema::objects, Map.of()));
    }
}
