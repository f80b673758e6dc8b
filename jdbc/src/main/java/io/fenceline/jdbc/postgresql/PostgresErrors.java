package io.fenceline.jdbc.postgresql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.dialect.SqlErrors;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;

/** Tells what PostgreSQL's errors mean, by the class of their SQLSTATE. */
final class PostgresErrors implements SqlErrors {

    /** HikariCP says how many of its connections are in use. If none is, it is not used up: the server gives it none. */
    private static final Pattern IDLE_POOL = Pattern.compile("\\bactive=0\\b");

    /** The driver noticed before it sent anything that its connection was closed. */
    private static final String CLOSED_BEFORE = "08003";

    @Override
    public BackendException unreachable(SQLException e) {
        Meaning meaning = stateOf(e).isEmpty() ? withoutState(e) : Meaning.of(stateOf(e));
        if (meaning.code() == ErrorCode.SERVICE_UNAVAILABLE && timedOut(e)) {
            meaning = new Meaning(ErrorCode.NETWORK_TIMEOUT, "the server does not answer");
        }
        return error(meaning, Effect.NONE, e);
    }

    @Override
    public BackendException failed(SQLException e, Effect unclear) {
        String state = stateOf(e);
        boolean undone = refusedByServer(e) && !state.startsWith("57P");
        Effect effect = undone || state.equals(CLOSED_BEFORE) ? Effect.NONE : unclear;
        if (timedOut(e)) {
            return error(new Meaning(ErrorCode.NETWORK_TIMEOUT, "the server did not answer in time"), unclear, e);
        }
        return error(Meaning.of(state), effect, e);
    }

    private static BackendException error(Meaning meaning, Effect effect, SQLException e) {
        return new BackendException(meaning.code(), effect, "PostgreSQL: " + meaning.text() + ": " + messageOf(e), e);
    }

    /** A data source that gives no connection without saying why. */
    private static Meaning withoutState(SQLException e) {
        boolean usedUp = e instanceof SQLTransientConnectionException
                && !IDLE_POOL.matcher(String.valueOf(e.getMessage())).find();
        return usedUp
                ? new Meaning(
                        ErrorCode.RATE_LIMITED,
                        "all connections of the pool are in use; make it larger or lock from fewer threads")
                : new Meaning(ErrorCode.SERVICE_UNAVAILABLE, "the data source gives no connection");
    }

    private static String stateOf(SQLException e) {
        return driversOwn(e).map(SQLException::getSQLState).orElse("");
    }

    /** The driver names the host, a pool only itself. In one line. */
    private static String messageOf(SQLException e) {
        return String.valueOf(driversOwn(e).orElse(e).getMessage()).replaceAll("\\s*\\R\\s*", "; ");
    }

    /** Pools wrap the driver's exception; their own may have its state and does not have its message. */
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

    /** An error that the server sent: the statement has been undone. */
    private static boolean refusedByServer(SQLException e) {
        return Optional.of(e)
                .filter(PSQLException.class::isInstance)
                .map(PSQLException.class::cast)
                .map(PSQLException::getServerErrorMessage)
                .isPresent();
    }

    /**
     * What a state means.
     *
     * @param code for the engine
     * @param text for people, with the remedy if there is one
     */
    private record Meaning(ErrorCode code, String text) {

        static Meaning of(String state) {
            return switch (state) {
                // Of the driver: there is no password, or the server knows no TLS. It does not pass.
                case "08004" ->
                    new Meaning(
                            ErrorCode.AUTH_FAILED,
                            "the server refuses the connection; a password is given in the URI, PGPASSWORD or ~/.pgpass");
                case "25006" ->
                    new Meaning(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "the server is read-only; connect to the primary (targetServerType=primary)");
                case "26000", "42P05" ->
                    new Meaning(
                            ErrorCode.INTERNAL,
                            "prepared statements do not survive a transaction-mode pooler; set prepareThreshold=0");
                case "3D000" ->
                    new Meaning(ErrorCode.INTERNAL, "the database does not exist; create it or name another");
                case "40003" -> new Meaning(ErrorCode.ABORTED, "the connection broke during the statement");
                case "42501" ->
                    new Meaning(ErrorCode.AUTH_FAILED, "the role lacks a privilege; grant SELECT, INSERT and UPDATE");
                case "42P01", "42703", "3F000" ->
                    new Meaning(
                            ErrorCode.INTERNAL,
                            "a table or column is missing; run 'fenceline schema install', or have a role that may"
                                    + " create tables run the output of 'fenceline schema print'");
                case "53300" -> new Meaning(ErrorCode.RATE_LIMITED, "the server has no connection left");
                case "53100" -> new Meaning(ErrorCode.SERVICE_UNAVAILABLE, "the server's disk is full");
                case "55P03" -> new Meaning(ErrorCode.ABORTED, "somebody keeps the lock's row locked");
                case "57014" -> new Meaning(ErrorCode.NETWORK_TIMEOUT, "the statement was cancelled");
                default -> ofClass(state.length() < 2 ? "" : state.substring(0, 2));
            };
        }

        private static Meaning ofClass(String stateClass) {
            return switch (stateClass) {
                case "08" -> new Meaning(ErrorCode.SERVICE_UNAVAILABLE, "the server cannot be reached");
                case "28" -> new Meaning(ErrorCode.AUTH_FAILED, "the server refuses the user or the password");
                case "40" -> new Meaning(ErrorCode.ABORTED, "the server gave the statement up after a conflict");
                case "53" -> new Meaning(ErrorCode.SERVICE_UNAVAILABLE, "the server lacks resources");
                case "57" -> new Meaning(ErrorCode.SERVICE_UNAVAILABLE, "the server stops or starts");
                case "58" -> new Meaning(ErrorCode.SERVICE_UNAVAILABLE, "the server's system fails");
                default -> new Meaning(ErrorCode.INTERNAL, "unexpected error");
            };
        }
    }
}
