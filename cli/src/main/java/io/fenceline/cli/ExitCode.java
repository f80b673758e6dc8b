package io.fenceline.cli;

import io.fenceline.ErrorCode;

/**
 * The exit codes of {@code fenceline}, where it does not pass on a child's own.
 *
 * <p>The numbers are those of {@code sysexits.h} where one fits, as {@code flock} does it. None is used by the shell (126,
 * 127, 128 + signal), by {@code timeout} (124, 125) or by {@code xargs} (123 to 127).
 */
final class ExitCode {

    /** Done. */
    static final int OK = 0;

    /** The answer is no: the lock was not free, is not held, was not there to be released. */
    static final int NO = 1;

    /** {@code doctor} found something that weakens a promise. */
    static final int DOCTOR_WARNING = 1;

    /** {@code doctor} found something that breaks a promise. */
    static final int DOCTOR_PROBLEM = 2;

    /** Wrong arguments. */
    static final int USAGE = 64;

    /** The store cannot be reached or used now. */
    static final int STORE_UNAVAILABLE = 69;

    /** A fault: of the store's data or of ours. */
    static final int INTERNAL = 70;

    /** The system starts no process, or a file cannot be written. */
    static final int SYSTEM = 71;

    /** The store did not answer in time. */
    static final int STORE_TIMEOUT = 74;

    /** The store gave up; it can be tried again. */
    static final int STORE_ABORTED = 75;

    /** The store has no capacity left. */
    static final int STORE_BUSY = 76;

    /** The store refused who we are or what we may do. */
    static final int STORE_REFUSED = 77;

    /** A guard refused the token: it has seen a greater one, or the resource belongs to another lock. */
    static final int TOKEN_REFUSED = 121;

    /** The lease was lost while it was held. */
    static final int LEASE_LOST = 122;

    /** What a shell says of a process that Ctrl-C ended. */
    static final int INTERRUPTED = 130;

    private ExitCode() {}

    /** The exit code of a failure. */
    static int of(ErrorCode code) {
        return switch (code) {
            case SERVICE_UNAVAILABLE -> STORE_UNAVAILABLE;
            case AUTH_FAILED -> STORE_REFUSED;
            case RATE_LIMITED -> STORE_BUSY;
            case NETWORK_TIMEOUT -> STORE_TIMEOUT;
            case ABORTED -> STORE_ABORTED;
            case INTERNAL -> INTERNAL;
            case ACQUISITION_TIMEOUT -> NO;
            case LEASE_LOST -> LEASE_LOST;
        };
    }
}
