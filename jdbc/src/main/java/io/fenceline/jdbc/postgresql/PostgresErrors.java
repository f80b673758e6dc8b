package io.fenceline.jdbc.postgresql;

import static io.fenceline.jdbc.sql.DriverErrors.Meaning.misconfigured;
import static io.fenceline.jdbc.sql.DriverErrors.Meaning.unavailable;

import io.fenceline.ErrorCode;
import io.fenceline.jdbc.sql.DriverErrors;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Stream;
import org.postgresql.util.GT;
import org.postgresql.util.PSQLException;

/** The meanings of PostgreSQL's errors, by their SQLSTATE and its class. */
final class PostgresErrors extends DriverErrors {

    /** The driver noticed before it sent anything that its connection was closed. */
    private static final String CLOSED_BEFORE = "08003";

    /** A statement of the transaction had failed; the driver names that failure as the cause. */
    private static final String FAILED_TRANSACTION = "25P02";

    private static final String INTERNAL_ERROR = "XX";

    /** The script that guards a table refuses it. */
    private static final String UNFIT_TABLE = "ZF006";

    /** The driver's message, before translation, when {@code loginTimeout} has passed; it has no state or cause of its own. */
    private static final String LOGIN_TIMEOUT = "Connection attempt timed out.";

    /** Server functions that refuse SERIALIZABLE on a standby. Their names, unlike the messages, are not translated. */
    private static final Set<String> STANDBY_REFUSES_SERIALIZABLE =
            Set.of("GetSerializableTransactionSnapshot", "check_XactIsoLevel", "check_transaction_isolation");

    PostgresErrors() {
        super("PostgreSQL");
    }

    /**
     * {@inheritDoc} The server has undone a statement that it sent an error of, unless it was stopped meanwhile. Poolers report the
     * loss of their server in class 08, 58 or XX, and do not know the outcome.
     */
    @Override
    protected boolean isRefusal(SQLException own) {
        String state = String.valueOf(own.getSQLState());
        return state.equals(CLOSED_BEFORE)
                || state.equals(FAILED_TRANSACTION)
                || (isSentByServer(own)
                        && Stream.of("57P", "08", "58", INTERNAL_ERROR).noneMatch(state::startsWith));
    }

    /** {@inheritDoc} A trigger fails with whatever its function raises. */
    @Override
    public boolean isViolation(SQLException e) {
        return super.isViolation(e)
                || (isSentByServer(e)
                        && !String.valueOf(e.getSQLState()).startsWith(INTERNAL_ERROR)
                        && meaning(e).equals(Meaning.UNEXPECTED));
    }

    private static String routine(SQLException own) {
        return own instanceof PSQLException error && error.getServerErrorMessage() != null
                ? String.valueOf(error.getServerErrorMessage().getRoutine())
                : "";
    }

    private static boolean isSentByServer(SQLException own) {
        return own instanceof PSQLException error && error.getServerErrorMessage() != null;
    }

    @Override
    protected boolean isAboutEarlierError(SQLException e) {
        return FAILED_TRANSACTION.equals(e.getSQLState());
    }

    /** {@inheritDoc} Without the statements and functions that the server was in, which fill a page where they are our own. */
    @Override
    protected String message(SQLException own) {
        String message = String.valueOf(own.getMessage());
        String where = own instanceof PSQLException error && error.getServerErrorMessage() != null
                ? error.getServerErrorMessage().getWhere()
                : null;
        int end = where == null ? -1 : message.lastIndexOf('\n', message.indexOf(where));
        return super.message(end < 0 ? own : new SQLException(message.substring(0, end)));
    }

    /** The driver refuses for itself: there is no password, or the server offers no TLS. Its message is translated, but names SSL in all languages. */
    private static Meaning refusedConnection(SQLException own) {
        boolean aboutTls = String.valueOf(own.getMessage()).contains("SSL");
        return aboutTls
                ? misconfigured(
                        "the server offers no TLS; choose sslmode=prefer or disable, or switch TLS on at the server")
                : new Meaning(
                        ErrorCode.AUTH_FAILED,
                        "the server requires a password; give it in PGPASSWORD, in ~/.pgpass or in the URI");
    }

    @Override
    protected Meaning meaningOfConnect(SQLException own) {
        if (GT.tr(LOGIN_TIMEOUT).equals(own.getMessage())) {
            return Meaning.silent();
        }
        if (cause(FileNotFoundException.class, own) != null) {
            return misconfigured("a file of its TLS parameters cannot be read; see sslrootcert, sslcert and sslkey");
        }
        boolean unreadable = "08P01".equals(own.getSQLState()) && !isSentByServer(own); // as PgBouncer's errors are
        return unreadable || cause(EOFException.class, own) != null ? notThisProduct() : meaning(own);
    }

    @Override
    protected Meaning meaning(SQLException own) {
        String state = String.valueOf(own.getSQLState());
        return switch (state) {
            case "08004" -> refusedConnection(own);
            case "0A000" ->
                STANDBY_REFUSES_SERIALIZABLE.contains(routine(own))
                        ? unavailable("the server is a standby; connect to the primary (targetServerType=primary)")
                        : Meaning.ofState(own.getSQLState());
            case "25006" ->
                unavailable(
                        "the server, or the connection, is read-only; connect to the primary (targetServerType=primary), set"
                                + " default_transaction_read_only to off, or take a pool that is not read-only");
            case FAILED_TRANSACTION ->
                new Meaning(
                        ErrorCode.INTERNAL,
                        "a statement of the transaction had failed and its error was not passed on");
            case "25P03", "25P04" ->
                new Meaning(
                        ErrorCode.ABORTED,
                        "the server ended the transaction, which lasted or was idle for too long; see its"
                                + " idle_in_transaction_session_timeout and transaction_timeout");
            case "26000", "42P05" ->
                misconfigured("prepared statements do not survive a transaction-mode pooler; set prepareThreshold=0");
            case "40003" -> new Meaning(ErrorCode.ABORTED, "the connection broke during the statement");
            case "42501" ->
                new Meaning(
                        ErrorCode.AUTH_FAILED,
                        "the role lacks a privilege; grant SELECT, INSERT and UPDATE on the tables, CREATE on their schema"
                                + " to a role that makes them, or TRIGGER on a table to one that guards it");
            case "22P05" ->
                misconfigured("the database's encoding has no such character; use a database in UTF8, or other names");
            case "3F000" ->
                misconfigured("there is no such schema, or the role's search_path names none that exists; name one, for"
                        + " instance by ?table=SCHEMA.fenceline_lock");
            case "42P01", "42703" ->
                misconfigured("a table or column is missing; run 'fenceline schema install', or have a role that may"
                        + " create tables run the output of 'fenceline schema print'");
            case "53100" -> Meaning.full();
            case "55P03" -> new Meaning(ErrorCode.ABORTED, "another transaction keeps a row or table locked");
            case UNFIT_TABLE -> misconfigured("the guard cannot be installed or removed");
            case "42809" -> misconfigured("a table is needed, and it is something else");
            case "57014" -> new Meaning(ErrorCode.NETWORK_TIMEOUT, "the statement was cancelled");
            default -> Meaning.ofState(own.getSQLState());
        };
    }
}
