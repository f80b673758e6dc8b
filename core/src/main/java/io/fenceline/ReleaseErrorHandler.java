package io.fenceline;

/** Handles failed releases in {@link Lease#close()}, which never throws. */
@FunctionalInterface
public interface ReleaseErrorHandler {

    /**
     * Handles a failed release. Its exceptions are logged and ignored.
     *
     * @param stamp the lock key and the token of the lease
     * @param error the failure of the first try. The lock stays taken until a retry in the background succeeds, or until the end of
     *     its ttl
     */
    void onReleaseError(FenceStamp stamp, RuntimeException error);
}
