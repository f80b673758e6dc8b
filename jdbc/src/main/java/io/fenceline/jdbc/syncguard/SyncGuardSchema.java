package io.fenceline.jdbc.syncguard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.product.Database;
import io.fenceline.jdbc.product.LockDialect;
import io.fenceline.jdbc.product.ScriptSchema;
import io.fenceline.jdbc.sql.ScriptFiles;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** SyncGuard's tables. */
final class SyncGuardSchema extends ScriptSchema {

    static final String CHECK = "check that table= and fences= in the URI are SyncGuard's tableName and fenceTableName";

    private final SyncGuardTables tables;

    SyncGuardSchema(Database database, LockDialect dialect, SyncGuardTables tables) {
        super(database, dialect, script(tables));
        this.tables = tables;
    }

    static String script(SyncGuardTables tables) {
        return tables.in(ScriptFiles.read(SyncGuardSchema.class, "schema-1.sql"));
    }

    /** Beside SyncGuard's locks, a new table of counters would mint its old tokens again; beside its counters, new locks exclude nobody. */
    @Override
    protected void ensureMayInstall() {
        List<String> missing = schemaProblems().stream()
                .filter(problem -> problem.startsWith("table "))
                .toList();
        if (missing.size() == 1) {
            throw new BackendException(
                    ErrorCode.MISCONFIGURED,
                    Effect.NONE,
                    missing.get(0) + " and the other one of " + tables.table().name() + " and "
                            + tables.fences().name()
                            + " is there: " + CHECK + "; nothing was changed",
                    null);
        }
    }

    @Override
    protected List<String> problems(Connection connection) throws SQLException {
        return SyncGuardLocks.SQL.with(tables::in).sql("problems").all(connection, row -> row.getString(1));
    }
}
