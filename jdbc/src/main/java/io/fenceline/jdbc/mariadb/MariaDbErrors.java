package io.fenceline.jdbc.mariadb;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.dialect.SqlErrors;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Tells what the errors of MariaDB and MySQL mean: by the server's number, and by the class of the SQLSTATE for the driver's own. */
final class MariaDbErrors implements SqlErrors {

    /** HikariCP says how many of its connections are in use. If none is, it is not used up: the server gives it none. */
    private static final Pattern IDLE_POOL = Pattern.compile("\\bactive=0\\b");

    /** A call that was ended in the middle: killed, cancelled, at a time limit, by the end of the server. */
    private static final Set<Integer> AMID = Set.of(1053, 1317, 1927, 1969, 3024);

    private final String product;

    MariaDbErrors(String product) {
        this.product = product;
    }

    @Override
    public BackendException unreachable(SQLException e) {
        Meaning meaning = driversOwn(e).map(Meaning::of).orElseGet(() -> withoutState(e));
        if (meaning.equals(Meaning.UNEXPECTED)) {
            meaning = Meaning.unavailable("the data source gives no connection");
        }
        if (meaning.code() == ErrorCode.SERVICE_UNAVAILABLE && timedOut(e)) {
            meaning = new Meaning(ErrorCode.NETWORK_TIMEOUT, "the server does not answer");
        }
        return error(meaning, Effect.NONE, e);
    }

    @Override
    public BackendException failed(SQLException e, Effect unclear) {
        if (timedOut(e)) {
            return error(new Meaning(ErrorCode.NETWORK_TIMEOUT, "the server did not answer in time"), unclear, e);
        }
        Optional<SQLException> own = driversOwn(e);
        Effect effect = own.filter(MariaDbErrors::refusedByServer).isPresent() ? Effect.NONE : unclear;
        return error(own.map(Meaning::of).orElse(Meaning.UNEXPECTED), effect, e);
    }

    private BackendException error(Meaning meaning, Effect effect, SQLException e) {
        return new BackendException(
                meaning.code(),
                effect,
                product + ": " + meaning.text() + ": " + driversOwn(e).orElse(e).getMessage(),
                e);
    }

    /** A data source that gives no connection without saying why. */
    private static Meaning withoutState(SQLException e) {
        boolean usedUp = e instanceof SQLTransientConnectionException
                && !IDLE_POOL.matcher(String.valueOf(e.getMessage())).find();
        return usedUp
                ? new Meaning(
                        ErrorCode.RATE_LIMITED,
                        "all connections of the pool are in use; make it larger or lock from fewer threads")
                : Meaning.unavailable("the data source gives no connection");
    }

    /** Pools wrap the driver's exception; their own may have its state and has neither its number nor its message. */
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

    /** An error that the server sent of a statement, all of which it has undone. */
    private static boolean refusedByServer(SQLException e) {
        return e.getErrorCode() > 0
                && !AMID.contains(e.getErrorCode())
                && !stateOf(e).startsWith("08");
    }

    private static String stateOf(SQLException e) {
        return e.getSQLState() == null ? "" : e.getSQLState();
    }

    /**
     * What an error means.
     *
     * @param code for the engine
     * @param text for people, with the remedy if there is one
     */
    private record Meaning(ErrorCode code, String text) {

        static final Meaning UNEXPECTED = new Meaning(ErrorCode.INTERNAL, "unexpected error");

        static Meaning of(SQLException e) {
            return switch (e.getErrorCode()) {
                case 1040, 1203, 1226 -> new Meaning(ErrorCode.RATE_LIMITED, "the server has no connection left");
                case 1045, 1130, 1251, 1524, 1698, 1820, 1862 ->
                    new Meaning(ErrorCode.AUTH_FAILED, "the server refuses the user or the password");
                case 1044, 1142, 1143, 1227, 1370 ->
                    new Meaning(
                            ErrorCode.AUTH_FAILED,
                            "the user lacks a privilege; grant SELECT, INSERT and UPDATE on the tables and EXECUTE on"
                                    + " the procedures");
                case 1049 -> new Meaning(ErrorCode.INTERNAL, "the database does not exist; create it or name another");
                case 1054, 1146, 1305, 1318 ->
                    new Meaning(
                            ErrorCode.INTERNAL,
                            "a table, column or procedure is missing; run 'fenceline schema install', or have a user that"
                                    + " may create them run the output of 'fenceline schema print'");
                case 1020, 1213 -> new Meaning(ErrorCode.ABORTED, "the server gave the statement up after a conflict");
                case 1205 -> new Meaning(ErrorCode.ABORTED, "somebody keeps the lock's row locked");
                case 1290, 1792, 1836 -> unavailable("the server is read-only; connect to the primary");
                case 1021, 1114 -> unavailable("the server's disk is full");
                case 1317, 1969, 3024 -> new Meaning(ErrorCode.NETWORK_TIMEOUT, "the statement was cancelled");
                case 1053, 1927 -> unavailable("the server stops, or ended the connection");
                case 1047 -> unavailable("the node is not part of its cluster now");
                default -> ofState(stateOf(e));
            };
        }

        static Meaning unavailable(String text) {
            return new Meaning(ErrorCode.SERVICE_UNAVAILABLE, text);
        }

        private static Meaning ofState(String state) {
            return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
                case "08" -> unavailable("the server cannot be reached");
                case "28" -> new Meaning(ErrorCode.AUTH_FAILED, "the server refuses the user or the password");
                case "40" -> new Meaning(ErrorCode.ABORTED, "the server gave the statement up after a conflict");
                default -> UNEXPECTED;
            };
        }
    }
}
