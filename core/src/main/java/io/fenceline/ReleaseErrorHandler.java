package io.fenceline;

/** Told of a release that failed where it could not be thrown: in {@link Lease#close()}. */
@FunctionalInterface
public interface ReleaseErrorHandler {

    /**
     * Handles a failed release. What it throws is logged and dropped.
     *
     * @param stamp the lock key and the token of the lease
     * @param error why the release failed. The lock stays taken to the end of its ttl at most
     */
    void onReleaseError(FenceStamp stamp, RuntimeException error);
}
