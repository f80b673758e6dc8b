package io.fenceline.firestore;

import java.time.Duration;

/**
 * The difference between the store's clock and this machine's, derived from the times in the store's answers. Nothing is decided
 * by it: leases end by the store's clock, and their holders count time without a clock.
 *
 * @param ahead by how much the store's clock is ahead, negative if it is behind
 * @param uncertainty how wrong that may be: half of the time that the answer took
 */
public record ClockSkew(Duration ahead, Duration uncertainty) {

    /**
     * Tells whether the clocks differ by more than a duration, whatever the uncertainty hides.
     *
     * @param limit the duration
     * @return whether they certainly do
     */
    public boolean exceeds(Duration limit) {
        return ahead.abs().minus(uncertainty).compareTo(limit) > 0;
    }

    /** Returns the skew in milliseconds, for people. */
    @Override
    public String toString() {
        return ahead.toMillis() + " ms, to within " + (uncertainty.toMillis() + 1) + " ms";
    }
}
