package io.fenceline.jdbc.h2;

import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.StoreSchema;
import io.fenceline.jdbc.guard.FenceDialect;
import io.fenceline.jdbc.guard.FenceTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Statement;
import java.util.List;

/** The tables of a lock store, and of the fences beside it. */
final class H2Schema implements StoreSchema {

    private static final int VERSION = 1;

    private final Database database;
    private final LockTable table;

    H2Schema(Database database, LockTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public String schemaScript() {
        try (InputStream script = H2Schema.class.getResourceAsStream("schema-" + VERSION + ".sql")) {
            if (script == null) {
                throw new IllegalStateException("the schema is missing from the jar");
            }
            return table.in(new String(script.readAllBytes(), StandardCharsets.UTF_8)) + "\n"
                    + FenceTable.beside(table.name()).in(FenceDialect.h2().script("fences"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isComplete() {
        database.read(connection -> {
            H2Tables.ensureOurs(connection, ScriptTables.of(schemaScript()));
            return true;
        });
        return schemaProblems().isEmpty();
    }

    @Override
    public void installSchema() {
        if (isComplete()) {
            return;
        }
        database.change(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(schemaScript());
            }
        });
    }

    @Override
    public List<String> schemaProblems() {
        return database.read(connection -> H2Tables.problems(connection, ScriptTables.of(schemaScript())));
    }
}
