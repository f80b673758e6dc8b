package io.fenceline.spi;

/** The way in which a backend generates tokens. Tokens of both modes only grow and fit 15 digits. */
public enum TokenMode {
    /** The last token plus one, from 1 on. For stores that do not lose acknowledged writes. */
    COUNTER,
    /**
     * The greater of the last token plus one and the server's time, counted in steps of 25 microseconds since 1970. For stores
     * that may lose a counter: the next token is still greater, as long as the server's clock is not behind the time of the
     * last grant, and no more than 40 000 tokens a second were minted for the key for long.
     *
     * <p>Tokens of this mode have 14 digits. The warning comes in 2041; they run out in 2682.
     */
    CLOCK_FLOOR;

    /** The step of {@link #CLOCK_FLOOR}: finer than the grant rate of any store, and coarse enough for 15 digits. */
    public static final long MICROS_PER_STEP = 25;

    /**
     * Returns the token that follows.
     *
     * @param last the greatest token minted so far, 0 if none is known
     * @param serverMicros the server's time in microseconds since 1970
     * @return the next token's number, which may be beyond {@link io.fenceline.FencingToken#MAX_VALUE}
     */
    public long next(long last, long serverMicros) {
        return this == COUNTER ? last + 1 : Math.max(last + 1, serverMicros / MICROS_PER_STEP);
    }
}
