package io.fenceline.jdbc.sqlserver;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.dialect.SqlErrors;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;

/** Tells what SQL Server's errors mean, by its numbers as documented; not seen on a server. */
final class SqlServerErrors implements SqlErrors {

    @Override
    public BackendException unreachable(SQLException e) {
        Meaning meaning = driversOwn(e)
                .map(Meaning::of)
                .orElseGet(() -> e instanceof SQLTransientConnectionException
                        ? new Meaning(ErrorCode.RATE_LIMITED, "all connections of the pool are in use; make it larger")
                        : Meaning.unavailable("the data source gives no connection"));
        if (meaning.code() == ErrorCode.INTERNAL) {
            meaning = Meaning.unavailable("the data source gives no connection");
        }
        return error(meaning, Effect.NONE, e);
    }

    @Override
    public BackendException failed(SQLException e, Effect unclear) {
        if (timedOut(e)) {
            return error(new Meaning(ErrorCode.NETWORK_TIMEOUT, "the server did not answer in time"), unclear, e);
        }
        Optional<SQLException> own = driversOwn(e);
        Meaning meaning = own.map(Meaning::of).orElse(new Meaning(ErrorCode.INTERNAL, "unexpected error"));
        boolean refused = own.filter(error -> error.getErrorCode() > 0).isPresent()
                && meaning.code() != ErrorCode.SERVICE_UNAVAILABLE;
        return error(meaning, refused ? Effect.NONE : unclear, e);
    }

    private static BackendException error(Meaning meaning, Effect effect, SQLException e) {
        return new BackendException(
                meaning.code(),
                effect,
                "SQL Server: " + meaning.text() + ": " + driversOwn(e).orElse(e).getMessage(),
                e);
    }

    private static Optional<SQLException> driversOwn(SQLException e) {
        SQLException innermost = null;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                innermost = sql;
            }
        }
        return Optional.ofNullable(innermost);
    }

    private static boolean timedOut(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException) {
                return true;
            }
        }
        return false;
    }

    /**
     * What an error means.
     *
     * @param code for the engine
     * @param text for people, with the remedy if there is one
     */
    private record Meaning(ErrorCode code, String text) {

        static Meaning of(SQLException e) {
            return switch (e.getErrorCode()) {
                case 1205, 3960, 2601, 2627 ->
                    new Meaning(ErrorCode.ABORTED, "the server gave the batch up after a conflict");
                case 1222 -> new Meaning(ErrorCode.ABORTED, "somebody keeps the lock's row locked");
                case 18456, 4060, 18452 ->
                    new Meaning(ErrorCode.AUTH_FAILED, "the server refuses the user, the password or the database");
                case 229, 230, 262 ->
                    new Meaning(ErrorCode.AUTH_FAILED, "the user lacks a permission; grant SELECT, INSERT and UPDATE");
                case 207, 208 ->
                    new Meaning(
                            ErrorCode.INTERNAL,
                            "a table or column is missing; run 'fenceline schema install', or have a user that may create"
                                    + " tables run the output of 'fenceline schema print'");
                case 10928, 10929, 10936, 17809 -> new Meaning(ErrorCode.RATE_LIMITED, "the server has no room left");
                case 3906 -> unavailable("the database is read-only; connect to the primary");
                case 1105, 9002 -> unavailable("the server's disk or log is full");
                case 596, 6005, 40197, 40501, 40613 -> unavailable("the server stops, starts or moves");
                default ->
                    String.valueOf(e.getSQLState()).startsWith("08")
                            ? unavailable("the server cannot be reached")
                            : new Meaning(ErrorCode.INTERNAL, "unexpected error");
            };
        }

        static Meaning unavailable(String text) {
            return new Meaning(ErrorCode.SERVICE_UNAVAILABLE, text);
        }
    }
}
