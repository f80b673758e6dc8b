package io.fenceline;

/** The result of a release. */
public enum ReleaseOutcome {
    /** The lease ran, and this release ended it. */
    RELEASED,
    /** The lease had ended before: it ran out or was released by force. Another may have held the lock since. */
    ALREADY_ENDED,
    /** Another call for the same lease did it, or is doing it at this moment. */
    ALREADY_RELEASED
}
