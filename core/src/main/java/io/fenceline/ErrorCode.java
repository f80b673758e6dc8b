package io.fenceline;

/** The kinds of failure, the same for every backend. */
public enum ErrorCode {
    /** The store cannot be reached or cannot work now; it may later. */
    SERVICE_UNAVAILABLE(true),
    /** The store refused who we are or what we may do; the configuration has to change. */
    AUTH_FAILED(false),
    /** The store or a pool in front of it is out of capacity; ask less often. */
    RATE_LIMITED(true),
    /** The store did not answer in time. */
    NETWORK_TIMEOUT(true),
    /** The store gave the attempt up, for instance after a conflict; it can be repeated. */
    ABORTED(true),
    /** Something that should not happen: damaged data, an unexpected answer, a used-up token counter. */
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
     * Tells whether the same request may succeed when it is repeated after a pause.
     *
     * @return whether the engine retries it within its wait
     */
    public boolean isTransient() {
        return transientFailure;
    }
}
