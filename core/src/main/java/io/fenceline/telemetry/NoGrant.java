package io.fenceline.telemetry;

/** The reason why an attempt to acquire ended without the lock. */
public enum NoGrant {

    /** Somebody has it, and the caller did not want to wait. */
    TAKEN,

    /** It was not free within the wait. */
    TIMED_OUT,

    /** The caller was interrupted, or gave up. */
    INTERRUPTED,

    /** The backend failed, or the locks were closed. */
    FAILED
}
