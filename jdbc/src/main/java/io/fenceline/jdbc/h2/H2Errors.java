package io.fenceline.jdbc.h2;

import static io.fenceline.jdbc.sql.DriverErrors.Meaning.misconfigured;
import static io.fenceline.jdbc.sql.DriverErrors.Meaning.unavailable;

import io.fenceline.ErrorCode;
import io.fenceline.jdbc.sql.DriverErrors;
import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The meanings of H2's errors, by its own numbers. */
final class H2Errors extends DriverErrors {

    /** The database or the way to it was closed, or failed. */
    private static final Set<Integer> CLOSED = Set.of(90028, 90031, 90067, 90098, 90121);

    private static final Set<ErrorCode> UNCLEAR = Set.of(ErrorCode.SERVICE_UNAVAILABLE, ErrorCode.STORE_FULL);

    /** The storage's own number, which H2 has in the message only. */
    private static final Pattern STORAGE = Pattern.compile("MVStoreException: .*\\[[\\d.]+/(\\d+)]");

    H2Errors() {
        super("H2");
    }

    /** Tells whether a connection is of no use any more after an error. */
    static boolean endsTheConnection(int error) {
        return CLOSED.contains(error);
    }

    @Override
    protected boolean isDriversOwn(SQLException e) {
        return e.getErrorCode() != 0;
    }

    /** {@inheritDoc} What ended the database or the way to it, or a write, may have done so before or after the commit. */
    @Override
    protected boolean isRefusal(SQLException own) {
        return !UNCLEAR.contains(meaning(own).code());
    }

    /** {@inheritDoc} The statement follows in H2's message, and is left out. */
    @Override
    protected String message(SQLException own) {
        return String.valueOf(own.getMessage()).lines().findFirst().orElse("").replaceFirst("; SQL statement:$", "");
    }

    @Override
    protected Meaning meaning(SQLException own) {
        int error = own.getErrorCode();
        if (endsTheConnection(error)) {
            return unavailable("the database is closed or cannot be reached");
        }
        return switch (error) {
            case 28000 -> new Meaning(ErrorCode.AUTH_FAILED, "the database refuses the user or the password");
            case 90096 -> new Meaning(ErrorCode.AUTH_FAILED, "the user lacks a right; grant SELECT, INSERT and UPDATE");
            case 90040 ->
                new Meaning(
                        ErrorCode.AUTH_FAILED,
                        "the user is no administrator, as a URI needs for WRITE_DELAY; grant ADMIN, or give a data source");
            case 42102, 42103, 42104, 42122, 90079 ->
                misconfigured(
                        "a table or column is missing; run 'fenceline schema install', or have a user that may create"
                                + " tables run the output of 'fenceline schema print'");
            case 40001, 90131 ->
                new Meaning(ErrorCode.ABORTED, "the database cancelled the statement because of a conflict");
            case 50200 -> new Meaning(ErrorCode.ABORTED, "another transaction keeps the row locked");
            case 57014 -> new Meaning(ErrorCode.NETWORK_TIMEOUT, "the statement was cancelled");
            case 90020 ->
                unavailable("another process has the database open; open it with AUTO_SERVER=TRUE in both, or use a"
                        + " store for several processes");
            case 90097 -> unavailable("the database is read-only");
            case 90113 -> misconfigured("a setting in the URI is unknown to H2");
            case 90146, 90149 -> misconfigured("the database does not exist; create it or name another");
            default -> ofStorage(String.valueOf(own.getMessage()));
        };
    }

    private static Meaning ofStorage(String message) {
        Matcher storage = STORAGE.matcher(message);
        return switch (storage.find() ? storage.group(1) : "") {
            case "2" ->
                new Meaning(ErrorCode.STORE_FULL, "the database's file cannot be written; free space on its disk");
            case "4" -> unavailable("the database is closed");
            default -> Meaning.UNEXPECTED;
        };
    }
}
