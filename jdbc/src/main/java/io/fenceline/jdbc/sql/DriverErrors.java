package io.fenceline.jdbc.sql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Base of the products' errors: finds the driver's own exception, and makes ours of its meaning. */
public abstract class DriverErrors implements SqlErrors {

    /** What the drivers of PostgreSQL and MariaDB say of a certificate for another host, in all languages, or as a name of a class. */
    private static final Pattern OTHER_HOST = Pattern.compile("hostname ?verif", Pattern.CASE_INSENSITIVE);

    /** HikariCP's message counts its connections, as ours does. If none is in use, the server is away. */
    private static final Pattern IDLE_POOL = Pattern.compile("\\bactive=0\\b");

    /** MariaDB's and MySQL's number, whose SQLSTATE says something else. */
    private static final int TOO_MANY_CONNECTIONS = 1040;

    private final String product;

    /** Creates the errors of a product, whose name begins each message. */
    protected DriverErrors(String product) {
        this.product = product;
    }

    /** Returns the errors of a data source whose product is not known yet: what SQLSTATEs mean. */
    public static SqlErrors ofUnknownProduct() {
        return new DriverErrors("database") {
            @Override
            protected Meaning meaning(SQLException own) {
                return own.getErrorCode() == TOO_MANY_CONNECTIONS
                        ? Meaning.NO_CONNECTIONS_LEFT
                        : Meaning.ofState(own.getSQLState());
            }

            @Override
            protected boolean isRefusal(SQLException own) {
                return false;
            }
        };
    }

    /** An error's meaning for the caller: what happened and what to do about it. */
    public record Meaning(ErrorCode code, String text) {

        /** Of an error that no other meaning is known of. */
        public static final Meaning UNEXPECTED = new Meaning(ErrorCode.INTERNAL, "unexpected error");

        static final Meaning NO_CONNECTIONS_LEFT =
                new Meaning(ErrorCode.RATE_LIMITED, "the server has no connections left");

        /** Returns the meaning of an SQLSTATE by its class, as the standard and most products have them. */
        public static Meaning ofState(@Nullable String state) {
            return switch (String.valueOf(state)) {
                case "08004" ->
                    new Meaning(
                            ErrorCode.AUTH_FAILED, "the server refuses the connection; check user, password and TLS");
                case "3D000" -> misconfigured("the database does not exist; create it or name another");
                case "53300" -> NO_CONNECTIONS_LEFT;
                default -> ofClass(state == null || state.length() < 2 ? "" : state.substring(0, 2));
            };
        }

        private static Meaning ofClass(String stateClass) {
            return switch (stateClass) {
                case "08" -> unavailable("the server cannot be reached");
                case "28" -> new Meaning(ErrorCode.AUTH_FAILED, "the server refuses the user or the password");
                case "40" -> new Meaning(ErrorCode.ABORTED, "the server cancelled the statement because of a conflict");
                case "53" -> unavailable("the server lacks resources");
                case "57" -> unavailable("the server is stopping or starting");
                case "58" -> unavailable("the server reports a system error");
                default -> UNEXPECTED;
            };
        }

        /** Returns the meaning of an error that stays until the configuration is changed. */
        public static Meaning misconfigured(String text) {
            return new Meaning(ErrorCode.MISCONFIGURED, text);
        }

        /** Returns the meaning of a full disk. */
        public static Meaning full() {
            return new Meaning(ErrorCode.STORE_FULL, "the server's disk is full; free some space");
        }

        /** Returns the meaning of no answer while connecting. */
        public static Meaning silent() {
            return new Meaning(
                    ErrorCode.NETWORK_TIMEOUT, "the server does not answer; if it should, check host and port");
        }

        /** Returns the meaning of an error that passes when the server is back. */
        public static Meaning unavailable(String text) {
            return new Meaning(ErrorCode.SERVICE_UNAVAILABLE, text);
        }
    }

    /** Returns the meaning of an exception of the driver. */
    protected abstract Meaning meaning(SQLException own);

    /** Tells whether the server refused the statement, or the driver did not send it: then it changed nothing. */
    protected abstract boolean isRefusal(SQLException own);

    /** Returns the meaning of an exception of the driver while it connects. */
    protected Meaning meaningOfConnect(SQLException own) {
        return meaning(own);
    }

    /** Tells whether an error says more than its cause, which is an earlier error; false unless overridden. */
    protected boolean isAboutEarlierError(SQLException e) {
        return false;
    }

    /** Tells whether an exception is of the driver rather than of a pool around it. */
    protected boolean isDriversOwn(SQLException e) {
        return e.getSQLState() != null;
    }

    /** Returns the driver's message in one line. */
    protected String message(SQLException own) {
        return String.valueOf(own.getMessage()).replaceAll("\\s*\\R\\s*", "; ");
    }

    @Override
    public final BackendException unreachable(SQLException e) {
        Meaning meaning = driversOwn(e).map(this::meaningOfConnect).orElseGet(() -> withoutDriver(e));
        if (meaning.equals(Meaning.UNEXPECTED)) {
            meaning = Meaning.misconfigured(
                    "no connection can be made with these settings; check the URI and its parameters");
        }
        Throwable unknownHost = cause(UnknownHostException.class, e);
        if (unknownHost != null) {
            meaning = Meaning.unavailable("the host is unknown; check its name (" + unknownHost.getMessage() + ")");
        }
        if (cause(CertificateException.class, e) != null) {
            meaning = Meaning.misconfigured(
                    "the server's TLS certificate is not accepted; name the authority that issued it in the driver's parameters");
        }
        if (driversOwn(e)
                .filter(own ->
                        OTHER_HOST.matcher(String.valueOf(own.getMessage())).find())
                .isPresent()) {
            meaning = Meaning.misconfigured(
                    "the server's TLS certificate is for another host; use the name that it has, or let the"
                            + " driver verify the authority only");
        }
        boolean silent = meaning.code() == ErrorCode.SERVICE_UNAVAILABLE && timedOut(e);
        return error(silent ? Meaning.silent() : meaning, Effect.NONE, e);
    }

    @Override
    public final BackendException failed(SQLException e, Effect unclear) {
        if (timedOut(e)) {
            return error(new Meaning(ErrorCode.NETWORK_TIMEOUT, "the server did not answer in time"), unclear, e);
        }
        Optional<SQLException> own = driversOwn(e);
        return error(
                own.map(this::meaning).orElse(Meaning.UNEXPECTED),
                own.filter(this::isRefusal).isPresent() ? Effect.NONE : unclear,
                e);
    }

    private BackendException error(Meaning meaning, Effect effect, SQLException e) {
        return new BackendException(
                meaning.code(),
                effect,
                product + ": " + meaning.text() + ": " + message(driversOwn(e).orElse(e)),
                e);
    }

    /** A pool that cannot connect fails as one that is used up does. */
    private static Meaning withoutDriver(SQLException e) {
        boolean usedUp = e instanceof SQLTransientConnectionException
                && !IDLE_POOL.matcher(String.valueOf(e.getMessage())).find();
        return usedUp
                ? new Meaning(
                        ErrorCode.RATE_LIMITED,
                        "all connections of the pool are in use; make it larger or lock from fewer threads")
                : Meaning.unavailable("the server cannot be reached, or the data source gives no connection");
    }

    private Optional<SQLException> driversOwn(SQLException e) {
        SQLException innermost = null;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && isDriversOwn(sql)) {
                innermost = sql;
                if (isAboutEarlierError(sql)) {
                    break;
                }
            }
        }
        return Optional.ofNullable(innermost);
    }

    private static boolean timedOut(SQLException e) {
        return cause(SocketTimeoutException.class, e) != null;
    }

    /** Returns the meaning of an answer, while connecting, that this product's servers do not give. */
    protected final Meaning notThisProduct() {
        return Meaning.unavailable("what listens there does not answer as " + product + " does; check host and port");
    }

    /** Returns the first cause of a type, which may be the exception itself; null if there is none. */
    protected static @Nullable Throwable cause(Class<? extends Exception> type, SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return cause;
            }
        }
        return null;
    }
}
