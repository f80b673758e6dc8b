package io.fenceline.spi;

/** How a backend finds the next token of a key. Both modes only grow and fit 15 digits. */
public enum TokenMode {
    /** The last token plus one, from 1 on. For stores that do not lose what they acknowledged. */
    COUNTER,
    /**
     * The greater of the last token plus one and the server's time in milliseconds. For stores that may lose a counter: the
     * next token is still greater, as long as the server's clock is not behind the time of the last grant.
     */
    CLOCK_FLOOR;

    /**
     * Returns the token that follows.
     *
     * @param last the greatest token minted so far, 0 if none is known
     * @param serverMillis the server's time in milliseconds since 1970
     * @return the next token's number, which may be beyond {@link io.fenceline.FencingToken#MAX_VALUE}
     */
    public long next(long last, long serverMillis) {
        return this == COUNTER ? last + 1 : Math.max(last + 1, serverMillis);
    }
}
