package io.fenceline;

/** The reason why a leader's term ended. */
public enum RevocationReason {
    /** The leader stepped down by itself. */
    STEPPED_DOWN,
    /** The candidate left the election. */
    CLOSED,
    /** The lease behind the term was lost: its deadline passed by the leader's own clock, or the store gave it away. */
    LEASE_LOST,
    /** The listener threw an exception when it was told of the election. */
    LISTENER_FAILED
}
