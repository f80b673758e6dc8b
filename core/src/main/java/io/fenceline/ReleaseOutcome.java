package io.fenceline;

/** The result of a release. */
public enum ReleaseOutcome {
    /** This call ended the running lease, set its end, or passed the lock on to another thread without asking the store. */
    RELEASED,
    /** The lease had already expired, or was released by force. Another client may have held the lock since. */
    ALREADY_ENDED,
    /** Another call released the same lease, or is doing so. */
    ALREADY_RELEASED
}
