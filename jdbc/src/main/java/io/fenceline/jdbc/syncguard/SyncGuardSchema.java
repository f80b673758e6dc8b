package io.fenceline.jdbc.syncguard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.dialect.StoreSchema;
import io.fenceline.jdbc.postgresql.PostgresTables;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Statement;
import java.util.List;

/**
 * SyncGuard's tables. Those that it made itself are as good as those that are made here; further columns, such as the two generated
 * ones of its documentation, and further indexes do not matter.
 */
final class SyncGuardSchema implements StoreSchema {

    /** Those who install at one moment take turns; the lock ends with the transaction, which all statements share. */
    private static final String ALONE = """
            SELECT pg_advisory_xact_lock(hashtextextended('fenceline schema', 0));
            """;

    private static final String PROBLEMS = """
            WITH expected (relation, line) AS (
                VALUES ('syncguard_locks', 'key text NOT NULL'), ('syncguard_locks', 'lock_id text NOT NULL'),
                       ('syncguard_locks', 'expires_at_ms bigint NOT NULL'), ('syncguard_locks', 'acquired_at_ms bigint NOT NULL'),
                       ('syncguard_locks', 'fence text NOT NULL'), ('syncguard_locks', 'user_key text NOT NULL'),
                       ('syncguard_fence_counters', 'fence_key text NOT NULL'),
                       ('syncguard_fence_counters', 'fence bigint NOT NULL'), ('syncguard_fence_counters', 'key_debug text')
            ), found AS (
                SELECT relation, attname,
                       attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
                         AS line
                  FROM (SELECT DISTINCT relation FROM expected) AS expected
                  JOIN pg_attribute ON attrelid = to_regclass(relation) AND attnum > 0 AND NOT attisdropped
            ), one_row (relation, col) AS (
                VALUES ('syncguard_locks', 'key'), ('syncguard_locks', 'lock_id'), ('syncguard_fence_counters', 'fence_key')
            )
            SELECT format('table %s is missing', relation)
              FROM (SELECT DISTINCT relation FROM expected) AS expected
             WHERE to_regclass(relation) IS NULL
            UNION ALL
            SELECT format('column %s of %s is %s; it should be: %s', split_part(expected.line, ' ', 1), expected.relation,
                          coalesce(found.line, 'missing'), expected.line)
              FROM expected
              LEFT JOIN found ON found.relation = expected.relation AND found.attname = split_part(expected.line, ' ', 1)
             WHERE to_regclass(expected.relation) IS NOT NULL AND found.line IS DISTINCT FROM expected.line
            UNION ALL
            SELECT format('%s of %s has no unique index', col, relation)
              FROM one_row
             WHERE to_regclass(relation) IS NOT NULL
               AND NOT EXISTS (
                   SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
                    WHERE indrelid = to_regclass(relation) AND indisunique AND indisvalid AND indnkeyatts = 1
                      AND attname = col AND indpred IS NULL)
            UNION ALL
            SELECT format('the trigger %1$s of %2$s keeps locks from being released; run: DROP TRIGGER %1$s ON %2$s', tgname, relation)
              FROM (SELECT DISTINCT relation FROM expected) AS expected
              JOIN pg_trigger ON tgrelid = to_regclass(relation) AND tgname = 'keeps_token_counters' AND tgenabled <> 'D'""";

    static final String CHECK = "check that table= and fences= in the URI are SyncGuard's tableName and fenceTableName";

    private final Database database;
    private final SyncGuardTables tables;

    SyncGuardSchema(Database database, SyncGuardTables tables) {
        this.database = database;
        this.tables = tables;
    }

    @Override
    public String schemaScript() {
        try (InputStream script = SyncGuardSchema.class.getResourceAsStream("schema-1.sql")) {
            if (script == null) {
                throw new IllegalStateException("the schema is missing from the jar");
            }
            return tables.in(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isComplete() {
        database.read(connection -> {
            PostgresTables.ensureOurs(connection, ScriptTables.of(schemaScript()));
            return true;
        });
        return schemaProblems().isEmpty();
    }

    @Override
    public void installSchema() {
        if (isComplete()) {
            return;
        }
        ensureNamesGoTogether();
        database.change(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(ALONE + schemaScript());
            }
        });
    }

    /** Beside SyncGuard's locks, a new table of counters would mint its old tokens again; beside its counters, new locks exclude nobody. */
    private void ensureNamesGoTogether() {
        List<String> missing = schemaProblems().stream()
                .filter(problem -> problem.startsWith("table "))
                .toList();
        if (missing.size() == 1) {
            throw new BackendException(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    missing.get(0) + " and the other one of " + tables.table().name() + " and "
                            + tables.fences().name()
                            + " is there: " + CHECK + "; nothing was changed",
                    null);
        }
    }

    @Override
    public List<String> schemaProblems() {
        return database.read(connection -> new Sql(tables.in(PROBLEMS)).all(connection, row -> row.getString(1)));
    }
}
