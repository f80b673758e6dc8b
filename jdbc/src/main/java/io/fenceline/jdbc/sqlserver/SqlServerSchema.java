package io.fenceline.jdbc.sqlserver;

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
final class SqlServerSchema implements StoreSchema {

    private static final int VERSION = 1;

    private final Database database;
    private final LockTable table;

    SqlServerSchema(Database database, LockTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public String schemaScript() {
        try (InputStream script = SqlServerSchema.class.getResourceAsStream("schema-" + VERSION + ".sql")) {
            if (script == null) {
                throw new IllegalStateException("the schema is missing from the jar");
            }
            return table.in(new String(script.readAllBytes(), StandardCharsets.UTF_8)) + "\n"
                    + FenceTable.beside(table.name())
                            .in(FenceDialect.sqlServer().script("fences"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isComplete() {
        database.read(connection -> {
            SqlServerTables.ensureOurs(connection, ScriptTables.of(schemaScript()));
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

    /** {@inheritDoc} Names only; types are not compared. */
    @Override
    public List<String> schemaProblems() {
        return database.read(connection -> SqlServerTables.problems(connection, ScriptTables.of(schemaScript())));
    }
}
