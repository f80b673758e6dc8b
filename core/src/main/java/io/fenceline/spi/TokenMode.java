package io.fenceline.spi;

/** The way in which a backend generates tokens. Tokens of both modes only grow and fit 15 digits. */
public enum TokenMode {
    /** The last token plus one, from 1 on. For stores that do not lose acknowledged writes. */
    COUNTER,
    /**
     * The greater of the last token plus one and the server's time, counted in steps of 25 microseconds since 1970. For stores
     * that may lose a counter: the next token is still greater, as long as the server's clock is not behind the time of the
     * last grant, and the key was granted no more than 40 000 times a second for long. A block of tokens does not run ahead of the
     * clock by itself: it begins below the clock's step, above the last token, and is cut there.
     *
     * <p>Tokens of this mode have 14 digits. The warning comes in 2041; they run out in 2682.
     */
    CLOCK_FLOOR;

    /** The step of {@link #CLOCK_FLOOR}: finer than the grant rate of any store, and coarse enough for 15 digits. */
    public static final long MICROS_PER_STEP = 25;

    /**
     * Returns the token that follows, if one is minted.
     *
     * @param last the greatest token minted so far, 0 if none is known
     * @param serverMicros the server's time in microseconds since 1970
     * @return the next token's number, which may be beyond {@link io.fenceline.FencingToken#MAX_VALUE}
     */
    public long next(long last, long serverMicros) {
        return first(last, serverMicros, 1);
    }

    /**
     * Returns the first token of a block. With a clock floor, a block begins below the clock if the last token is known.
     *
     * @param last the greatest token minted so far, 0 if none is known
     * @param serverMicros the server's time in microseconds since 1970
     * @param tokens how many are asked for
     * @return the first token's number, which may be beyond {@link io.fenceline.FencingToken#MAX_VALUE}
     */
    public long first(long last, long serverMicros, int tokens) {
        if (this == COUNTER) {
            return last + 1;
        }
        long now = serverMicros / MICROS_PER_STEP;
        return Math.max(last + 1, last == 0 ? now : now - tokens + 1);
    }

    /**
     * Returns how many tokens a block has. With a clock floor, none of them but the first is above the clock.
     *
     * @param first the block's {@link #first}
     * @param serverMicros the server's time in microseconds since 1970
     * @param tokens how many are asked for
     * @return from 1 to {@code tokens}
     */
    public int count(long first, long serverMicros, int tokens) {
        return this == COUNTER
                ? tokens
                : (int) Math.max(1, Math.min(tokens, serverMicros / MICROS_PER_STEP - first + 1));
    }
}
