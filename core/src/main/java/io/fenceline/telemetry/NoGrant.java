package io.fenceline.telemetry;

/** The reason why an acquisition failed. */
public enum NoGrant {

    /** The lock is taken, and the caller did not wait. */
    TAKEN,

    /** It was not free within the wait. */
    TIMED_OUT,

    /** The caller was interrupted, or gave up. */
    INTERRUPTED,

    /** The backend failed, or the locks were closed. */
    FAILED
}
