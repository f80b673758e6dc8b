package io.fenceline.internal;

/** Starts renewals, which block on the backend, outside of the watch. */
interface Renewals {

    /**
     * Runs {@link HeldLease#renew()} soon.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the locks were closed
     * @throws OutOfMemoryError if no thread can be started
     */
    void start(HeldLease lease);

    /** Rejects further renewals. */
    void close();
}
