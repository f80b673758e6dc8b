package io.fenceline.guard;

/** The number of times that one grant may write to one resource. */
public enum FenceRule {
    /** A holder writes as often as it likes. */
    AT_LEAST,
    /**
     * A holder writes once: a second write under the same token is refused as stale. For work that must be done once for each
     * grant, and against deliveries that come twice. A claim is not a write.
     */
    ONCE;

    /**
     * Decides about a write.
     *
     * @param token the writer's token
     * @param highest the greatest token that wrote or claimed, 0 if none did
     * @param written the greatest token that wrote, 0 if none did
     * @return whether the write is accepted
     */
    public boolean admits(long token, long highest, long written) {
        return token >= highest && (this == AT_LEAST || token > written);
    }
}
