package io.fenceline.cli.output;

import io.fenceline.ErrorCode;
import io.fenceline.LockException;
import java.net.UnknownHostException;

/**
 * The exit codes of {@code fenceline} itself; {@code exec} and {@code elect} also pass on a child's own.
 *
 * <p>The numbers are those of {@code sysexits.h} where one fits, as {@code flock} does it. None is used by the shell (126,
 * 127, 128 + signal), by {@code timeout} (124, 125) or by {@code xargs} (123 to 127).
 */
public final class ExitCode {

    /** Success. */
    public static final int OK = 0;

    /** The lock was not acquired, is not held, or there was nothing to release. */
    public static final int NO = 1;

    /** {@code doctor} found something that may weaken a guarantee. */
    public static final int DOCTOR_WARNING = 1;

    /** {@code doctor} found something that breaks a guarantee. */
    public static final int DOCTOR_PROBLEM = 2;

    /** Wrong arguments. */
    public static final int USAGE = 64;

    /** The host of the store is unknown. */
    public static final int UNKNOWN_HOST = 68;

    /** The store is unreachable or unusable. */
    public static final int STORE_UNAVAILABLE = 69;

    /** Corrupt data in the store, or an internal error. */
    public static final int INTERNAL = 70;

    /** A process cannot be started or a file cannot be written. */
    public static final int SYSTEM = 71;

    /** The store has no disk space left. */
    public static final int STORE_FULL = 73;

    /** The store did not answer in time. */
    public static final int STORE_TIMEOUT = 74;

    /** The store aborted the operation; retry. */
    public static final int STORE_ABORTED = 75;

    /** The store is over its capacity. */
    public static final int STORE_BUSY = 76;

    /** The store refused access. */
    public static final int STORE_REFUSED = 77;

    /** The store cannot serve as it is addressed or set up: the wrong database or TLS mode, missing tables. */
    public static final int STORE_MISCONFIGURED = 78;

    /** A guard refused the token: it is stale, or the resource belongs to another lock. */
    public static final int TOKEN_REFUSED = 121;

    /** The lease was lost. */
    public static final int LEASE_LOST = 122;

    /** 128 + SIGINT, as in a shell. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}

    /** The exit code of a failure of the store or of a lock. */
    public static int of(LockException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return UNKNOWN_HOST;
            }
        }
        return of(failure.code());
    }

    /** The exit code of a kind of failure. */
    public static int of(ErrorCode code) {
        return switch (code) {
            case SERVICE_UNAVAILABLE -> STORE_UNAVAILABLE;
            case AUTH_FAILED -> STORE_REFUSED;
            case MISCONFIGURED -> STORE_MISCONFIGURED;
            case STORE_FULL -> STORE_FULL;
            case RATE_LIMITED -> STORE_BUSY;
            case NETWORK_TIMEOUT -> STORE_TIMEOUT;
            case ABORTED -> STORE_ABORTED;
            case INTERNAL -> INTERNAL;
            case ACQUISITION_TIMEOUT -> NO;
            case LEASE_LOST -> LEASE_LOST;
        };
    }
}
