package io.fenceline;

/** The reason why a leader's term ended. */
public enum RevocationReason {
    /** The leader stepped down by itself. */
    STEPPED_DOWN,
    /** The candidate left the election. */
    CLOSED,
    /** The lease behind the term was lost: its local deadline passed, or the store no longer has it. */
    LEASE_LOST,
    /** {@code onElected} threw an exception. */
    LISTENER_FAILED
}
