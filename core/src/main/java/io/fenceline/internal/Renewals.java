package io.fenceline.internal;

/** Starts renewals, which wait for the backend, outside of the watch. */
interface Renewals {

    /**
     * Has {@link HeldLease#renew()} called soon.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the locks were closed
     * @throws OutOfMemoryError if no thread can be started, or whatever else keeps it from being started
     */
    void start(HeldLease lease);

    /** Takes nothing more. */
    void close();
}
