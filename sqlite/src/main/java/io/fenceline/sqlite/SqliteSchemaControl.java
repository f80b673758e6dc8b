package io.fenceline.sqlite;

import io.fenceline.spi.SchemaControl;
import java.util.List;

/** Prints, creates and checks the tables of a store. */
final class SqliteSchemaControl implements SchemaControl {

    private final SqliteStore store;
    private final SqliteSchema schema;

    SqliteSchemaControl(SqliteStore store) {
        this.store = store;
        this.schema = new SqliteSchema(store.path());
    }

    @Override
    public String schemaScript() {
        return SqliteSchema.script();
    }

    @Override
    public void installSchema() {
        store.create();
    }

    @Override
    public List<String> schemaProblems() {
        return store.exists()
                ? store.read(statements -> statements.with(schema::problems), List.of())
                : schema.problemsWithoutFile();
    }
}
