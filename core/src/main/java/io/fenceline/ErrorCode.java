package io.fenceline;

/** The kinds of failure, the same for every backend. */
public enum ErrorCode {
    /** The store cannot be reached, or cannot serve requests at present. */
    SERVICE_UNAVAILABLE(true),
    /** Authentication failed or a permission is missing; the configuration has to change. */
    AUTH_FAILED(false),
    /**
     * The store cannot serve as it is addressed or set up: there is no such database, no such table, or one side speaks TLS and the other
     * does not; the configuration has to change.
     */
    MISCONFIGURED(false),
    /** The store has no disk space left; free some. */
    STORE_FULL(true),
    /** The store, or a pool in front of it, is out of capacity; send fewer requests. */
    RATE_LIMITED(true),
    /** The store did not answer in time. */
    NETWORK_TIMEOUT(true),
    /** The store aborted the attempt, for instance after a conflict; it can be retried. */
    ABORTED(true),
    /** An unexpected state: damaged data, an unexpected reply, no token left. */
    INTERNAL(false),
    /** The lock was not free within the wait. */
    ACQUISITION_TIMEOUT(false),
    /** The lease ended before the work did. */
    LEASE_LOST(false);

    private final boolean transientFailure;

    ErrorCode(boolean transientFailure) {
        this.transientFailure = transientFailure;
    }

    /**
     * Returns whether a retry after a pause may succeed.
     *
     * @return whether the engine retries it within its wait
     */
    public boolean isTransient() {
        return transientFailure;
    }
}
