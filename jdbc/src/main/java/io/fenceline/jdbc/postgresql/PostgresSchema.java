package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.dialect.StoreSchema;
import io.fenceline.jdbc.guard.FenceDialect;
import io.fenceline.jdbc.guard.FenceTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The tables of a lock store. */
final class PostgresSchema implements StoreSchema {

    private static final int VERSION = 1;

    /** Those who install at one moment take turns; the lock ends with the transaction, which all statements share. */
    private static final String ALONE = """
            SELECT pg_advisory_xact_lock(hashtextextended('fenceline schema', 0));
            """;

    private static final String TRIGGERED = """
            SELECT tgname FROM pg_trigger
             WHERE tgrelid = to_regclass('fenceline_lock') AND tgname = 'keeps_token_counters' AND tgenabled <> 'D'""";

    private static final List<String> COLUMNS = List.of(
            "fenceline_lock lock_key text COLLATE \"C\" NOT NULL",
            "fenceline_lock last_fence bigint NOT NULL",
            "fenceline_lock fence bigint NOT NULL",
            "fenceline_lock tokens integer NOT NULL",
            "fenceline_lock lock_id text COLLATE \"C\"",
            "fenceline_lock holder text NOT NULL",
            "fenceline_lock acquired_at timestamp with time zone NOT NULL",
            "fenceline_lock expires_at timestamp with time zone NOT NULL",
            "fenceline_lock_audit at timestamp with time zone NOT NULL",
            "fenceline_lock_audit actor text NOT NULL",
            "fenceline_lock_audit act text NOT NULL",
            "fenceline_lock_audit lock_key text NOT NULL",
            "fenceline_lock_audit fence_before bigint NOT NULL",
            "fenceline_lock_audit fence_after bigint NOT NULL");

    private static final String KEYED = """
            SELECT indexrelid FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
             WHERE indrelid = to_regclass('fenceline_lock') AND indisunique AND indisvalid AND indnkeyatts = 1
               AND attname = 'lock_key' AND indpred IS NULL""";

    private final Database database;
    private final LockTable table;

    PostgresSchema(Database database, LockTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public String schemaScript() {
        try (InputStream script = PostgresSchema.class.getResourceAsStream("schema-" + VERSION + ".sql")) {
            if (script == null) {
                throw new IllegalStateException("the schema is missing from the jar");
            }
            return table.in(new String(script.readAllBytes(), StandardCharsets.UTF_8)) + "\n" + fences();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String fences() {
        return FenceTable.beside(table.name()).in(FenceDialect.postgresql().script("fences"));
    }

    @Override
    public boolean isComplete() {
        database.read(connection -> {
            PostgresTables.ensureOurs(connection, ScriptTables.of(schemaScript()));
            return true;
        });
        return missing().isEmpty();
    }

    @Override
    public void installSchema() {
        if (isComplete()) {
            return;
        }
        database.change(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(ALONE + schemaScript());
            }
        });
    }

    @Override
    public List<String> schemaProblems() {
        List<String> problems = new ArrayList<>(missing());
        problems.addAll(database.read(
                connection -> PostgresTables.DIFFERENT.all(connection, row -> row.getString(1), (Object)
                        COLUMNS.stream().map(table::in).toArray(String[]::new))));
        return problems;
    }

    private List<String> missing() {
        return database.read(connection -> {
            List<String> problems = new ArrayList<>();
            String[] tables = {table.in("fenceline_lock"), table.in("fenceline_lock_audit")};
            for (String name : PostgresTables.MISSING.all(connection, row -> row.getString(1), (Object) tables)) {
                problems.add("table " + name + " is missing");
            }
            if (problems.isEmpty()) {
                if (new Sql(table.in(KEYED)).one(connection, row -> true).isEmpty()) {
                    problems.add(table.in("the primary key of fenceline_lock is missing"));
                }
                if (new Sql(table.in(TRIGGERED)).one(connection, row -> true).isEmpty()) {
                    problems.add(table.in("the trigger of fenceline_lock against deletion is missing"));
                }
            }
            problems.addAll(PostgresTables.problems(connection, fences()));
            return problems;
        });
    }
}
