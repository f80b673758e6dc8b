package io.fenceline.jdbc.syncguard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.jdbc.sql.SqlErrors;
import java.sql.SQLException;

/** The errors of PostgreSQL. Where a table is missing, its name may be wrong, and making it would divide the lock. */
record SyncGuardErrors(SqlErrors product) implements SqlErrors {

    private static final String MISSING = "42P01";

    @Override
    public BackendException unreachable(SQLException e) {
        return product.unreachable(e);
    }

    @Override
    public BackendException failed(SQLException e, Effect unclear) {
        BackendException failure = product.failed(e, unclear);
        return MISSING.equals(e.getSQLState())
                ? new BackendException(
                        failure.code(),
                        failure.effect(),
                        "PostgreSQL: one of SyncGuard's tables is missing: " + SyncGuardSchema.CHECK
                                + "; if SyncGuard was never used here, run 'fenceline schema install': "
                                + String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", "; "),
                        e)
                : failure;
    }
}
