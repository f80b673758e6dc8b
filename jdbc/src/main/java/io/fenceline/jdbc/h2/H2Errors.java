package io.fenceline.jdbc.h2;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.dialect.SqlErrors;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;

/** Tells what H2's errors mean, by its own numbers. */
final class H2Errors implements SqlErrors {

    /** The database or the way to it was closed, or failed. */
    private static final Set<Integer> CLOSED = Set.of(90028, 90031, 90067, 90098, 90121);

    /** Tells whether a connection is of no use any more after an error. */
    static boolean endsTheConnection(int error) {
        return CLOSED.contains(error);
    }

    @Override
    public BackendException unreachable(SQLException e) {
        Meaning meaning = databasesOwn(e)
                .map(own -> Meaning.of(own.getErrorCode()))
                .orElseGet(() -> e instanceof SQLTransientConnectionException
                        ? new Meaning(ErrorCode.RATE_LIMITED, "all connections of the pool are in use; make it larger")
                        : Meaning.unavailable("the data source gives no connection"));
        return error(meaning, Effect.NONE, e);
    }

    @Override
    public BackendException failed(SQLException e, Effect unclear) {
        Optional<Meaning> own = databasesOwn(e).map(said -> Meaning.of(said.getErrorCode()));
        // What ended the database or the way to it may have done so before or after the commit.
        boolean refused =
                own.filter(said -> said.code() != ErrorCode.SERVICE_UNAVAILABLE).isPresent();
        return error(
                own.orElse(new Meaning(ErrorCode.INTERNAL, "unexpected error")), refused ? Effect.NONE : unclear, e);
    }

    private static BackendException error(Meaning meaning, Effect effect, SQLException e) {
        return new BackendException(
                meaning.code(),
                effect,
                "H2: " + meaning.text() + ": " + firstLine(databasesOwn(e).orElse(e)),
                e);
    }

    /** What follows is the statement. */
    private static String firstLine(SQLException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("").replaceFirst("; SQL statement:$", "");
    }

    private static Optional<SQLException> databasesOwn(SQLException e) {
        SQLException innermost = null;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getErrorCode() != 0) {
                innermost = sql;
            }
        }
        return Optional.ofNullable(innermost);
    }

    /**
     * What an error means.
     *
     * @param code for the engine
     * @param text for people, with the remedy if there is one
     */
    private record Meaning(ErrorCode code, String text) {

        static Meaning of(int error) {
            if (endsTheConnection(error)) {
                return unavailable("the database is closed or cannot be reached");
            }
            return switch (error) {
                case 28000 -> new Meaning(ErrorCode.AUTH_FAILED, "the database refuses the user or the password");
                case 90096, 90040 ->
                    new Meaning(ErrorCode.AUTH_FAILED, "the user lacks a right; grant SELECT, INSERT and UPDATE");
                case 42102, 42103, 42104, 42122, 90079 ->
                    new Meaning(
                            ErrorCode.INTERNAL,
                            "a table or column is missing; run 'fenceline schema install', or have a user that may create"
                                    + " tables run the output of 'fenceline schema print'");
                case 40001, 90131 ->
                    new Meaning(ErrorCode.ABORTED, "the database gave the statement up after a conflict");
                case 50200 -> new Meaning(ErrorCode.ABORTED, "somebody keeps the lock's row locked");
                case 57014 -> new Meaning(ErrorCode.NETWORK_TIMEOUT, "the statement was cancelled");
                case 90020 ->
                    unavailable("another process has the database open; open it with AUTO_SERVER=TRUE in both, or use"
                            + " a store for several processes");
                case 90097 -> unavailable("the database only reads");
                case 90146, 90149 -> new Meaning(ErrorCode.INTERNAL, "the database does not exist");
                default -> new Meaning(ErrorCode.INTERNAL, "unexpected error");
            };
        }

        static Meaning unavailable(String text) {
            return new Meaning(ErrorCode.SERVICE_UNAVAILABLE, text);
        }
    }
}
