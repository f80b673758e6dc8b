package io.fenceline.guard;

/** The number of writes that one grant may make to one resource. */
public enum FenceRule {
    /** Any number of writes. */
    AT_LEAST,
    /**
     * One write: a second write under the same token is refused as stale. For work that must be done once per grant, and against
     * duplicate deliveries. A claim is not a write.
     */
    ONCE;

    /**
     * Checks a write.
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
