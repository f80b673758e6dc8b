package io.fenceline.jdbc.mariadb;

import static io.fenceline.jdbc.sql.DriverErrors.Meaning.misconfigured;
import static io.fenceline.jdbc.sql.DriverErrors.Meaning.unavailable;

import io.fenceline.ErrorCode;
import io.fenceline.jdbc.sql.DriverErrors;
import java.sql.SQLException;
import java.util.Set;

/** The meanings of the errors of MariaDB and MySQL: by the server's number, and by the class of the SQLSTATE for the driver's own. */
final class MariaDbErrors extends DriverErrors {

    /** A call that was ended in the middle: killed, cancelled, at a time limit, by the end of the server. */
    private static final Set<Integer> INTERRUPTED = Set.of(1053, 1317, 1927, 1969, 3024);

    /** Deadlock; row changed since the transaction first looked, with innodb_snapshot_isolation. */
    static final Set<Integer> CONFLICTS = Set.of(1213, 1020);

    MariaDbErrors(String product) {
        super(product);
    }

    /** Returns the conflict in which a row is not what it was a moment ago. */
    static SQLException changed(String what) {
        return new SQLException(what, "HY000", 1020);
    }

    /** Tells whether the server undid a statement because of other transactions. */
    static boolean isConflict(SQLException e) {
        return CONFLICTS.contains(e.getErrorCode());
    }

    /**
     * {@inheritDoc} The server has undone all of a statement that it sent an error of. Numbers from 2000 to 2999 are those of client
     * libraries: a proxy has lost its server, and does not know the outcome.
     */
    @Override
    protected boolean isRefusal(SQLException own) {
        return own.getErrorCode() > 0
                && own.getErrorCode() / 1000 != 2
                && !INTERRUPTED.contains(own.getErrorCode())
                && !String.valueOf(own.getSQLState()).startsWith("08");
    }

    @Override
    protected Meaning meaningOfConnect(SQLException own) {
        String message = String.valueOf(own.getMessage());
        if (message.contains("ssl not enabled in the server")) {
            return misconfigured("the server offers no TLS; leave sslMode out, or switch TLS on at the server");
        }
        if (message.contains("keyStore") || message.contains("trustStore")) {
            return misconfigured(
                    "a file of its TLS parameters cannot be read; see serverSslCert, keyStore and trustStore");
        }
        if (message.contains("with a Self signed certificate")) {
            return misconfigured(
                    "the server's certificate cannot be verified by the user's password, which is empty; name"
                            + " the certificate in serverSslCert");
        }
        if (message.contains("greater than maxAllowedPacket")) {
            return notThisProduct(); // its first bytes, as a length
        }
        Meaning meaning = meaning(own);
        return meaning.equals(Meaning.UNEXPECTED) ? unavailable("the server cannot be reached") : meaning;
    }

    @Override
    protected Meaning meaning(SQLException own) {
        if (own.getErrorCode() == 1045 && String.valueOf(own.getMessage()).contains("using password: NO")) {
            return new Meaning(
                    ErrorCode.AUTH_FAILED, "the server requires a password; give it in MYSQL_PWD or in the URI");
        }
        return switch (own.getErrorCode()) {
            case 3159 -> misconfigured("the server requires TLS; add sslMode=verify-full, or trust, to the URI");
            case 1040, 1203, 1226 -> new Meaning(ErrorCode.RATE_LIMITED, "the server has no connections left");
            case 1045, 1130, 1251, 1524, 1698, 1820, 1862, 3118, 4151 ->
                new Meaning(ErrorCode.AUTH_FAILED, "the server refuses the user or the password");
            case 1044 -> // also for a database that does not exist, unless the user may use all
                new Meaning(
                        ErrorCode.AUTH_FAILED,
                        "the user may not use the database, or it does not exist; check its name, or grant SELECT,"
                                + " INSERT and UPDATE on its tables and EXECUTE on its procedures");
            case 1142, 1143, 1227, 1370 ->
                new Meaning(
                        ErrorCode.AUTH_FAILED,
                        "the user lacks a privilege; grant SELECT, INSERT and UPDATE on the tables and EXECUTE on"
                                + " the procedures, or CREATE and CREATE ROUTINE to a user that makes them");
            case 1049 -> misconfigured("the database does not exist; create it or name another");
            case 1054, 1146, 1305, 1318 ->
                misconfigured(
                        "a table, column or procedure is missing; run 'fenceline schema install', or have a user that"
                                + " may create them run the output of 'fenceline schema print'");
            case 1020, 1213 ->
                new Meaning(ErrorCode.ABORTED, "the server cancelled the statement because of a conflict");
            case 1205 -> new Meaning(ErrorCode.ABORTED, "another transaction keeps the row locked");
            case 1290, 1836 -> unavailable("the server is read-only; connect to the primary");
            case 1792 ->
                misconfigured("the connection's transactions are read-only; set neither readOnly of the pool nor"
                        + " tx_read_only of the session");
            case 1021, 1114 -> Meaning.full();
            case 1317, 1969, 3024 -> new Meaning(ErrorCode.NETWORK_TIMEOUT, "the statement was cancelled");
            case 1053, 1927 -> unavailable("the server is stopping, or closed the connection");
            case 1047 -> unavailable("the node is currently not part of its cluster");
            default -> Meaning.ofState(own.getSQLState());
        };
    }
}
