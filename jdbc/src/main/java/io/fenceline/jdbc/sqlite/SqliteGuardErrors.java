package io.fenceline.jdbc.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.sql.SqlErrors;
import java.sql.SQLException;

/** The meanings of SQLite's errors for guards on a data source of the application's. */
final class SqliteGuardErrors implements SqlErrors {

    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int READONLY = 8;
    private static final int FULL = 13;
    private static final int CANTOPEN = 14;
    private static final int CONSTRAINT = 19;

    /** The transaction had read what has changed since. */
    private static final String OUTDATED = "SQLITE_BUSY_SNAPSHOT";

    private static final String OPEN_RESULT =
            "no transaction is committed while a result of INSERT, UPDATE or DELETE with RETURNING is open; close it in the body";

    @Override
    public BackendException failed(SQLException e, Effect unclear) {
        return switch (e.getErrorCode()) {
            case BUSY, LOCKED ->
                hasOpenResult(e)
                        ? error(ErrorCode.MISCONFIGURED, Effect.NONE, OPEN_RESULT, e)
                        : error(ErrorCode.ABORTED, Effect.NONE, busy(e), e);
            case READONLY ->
                error(
                        ErrorCode.AUTH_FAILED,
                        Effect.NONE,
                        "the file is read-only; allow writing to it and its folder",
                        e);
            case FULL -> error(ErrorCode.STORE_FULL, Effect.NONE, "there is no space left on the disk", e);
            case CANTOPEN -> error(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "the file cannot be opened", e);
            default ->
                missingTable(e)
                        ? error(ErrorCode.MISCONFIGURED, Effect.NONE, other(e), e)
                        : error(ErrorCode.INTERNAL, unclear, other(e), e);
        };
    }

    @Override
    public boolean isViolation(SQLException e) {
        return e.getErrorCode() == CONSTRAINT;
    }

    /** Tells whether an open result kept the transaction from being committed. A retry would not help. */
    static boolean hasOpenResult(SQLException e) {
        return String.valueOf(e.getMessage()).contains("statements in progress");
    }

    private static String busy(SQLException e) {
        return String.valueOf(e.getMessage()).contains(OUTDATED)
                ? "the transaction had read what others have changed since, so it cannot write any more; enter the guard"
                        + " first, or begin with BEGIN IMMEDIATE"
                : "others kept the file locked up to busy_timeout; write in shorter transactions, or raise it, and continue or end a"
                        + " process that is stopped in one";
    }

    private static String other(SQLException e) {
        if (String.valueOf(e.getMessage()).contains("no transaction is active")) {
            return "the guarded transaction was ended in the middle, by a COMMIT or by an error that rolls all back; what was"
                    + " before is committed or undone, the fence with it, and what followed is committed without the fence: "
                    + e.getMessage();
        }
        return missingTable(e)
                ? "a table is missing; install the guard's schema: " + e.getMessage()
                : String.valueOf(e.getMessage());
    }

    private static boolean missingTable(SQLException e) {
        return String.valueOf(e.getMessage()).contains("no such table");
    }

    @Override
    public BackendException unreachable(SQLException e) {
        return error(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "no connection: " + e.getMessage(), e);
    }

    private static BackendException error(ErrorCode code, Effect effect, String text, SQLException cause) {
        return new BackendException(code, effect, "SQLite: " + text, cause);
    }
}
