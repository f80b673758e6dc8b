package io.fenceline.firestore;

import java.time.Duration;

/**
 * The difference between the store's clock and this machine's, measured from the times in the store's replies. For diagnosis only:
 * leases end by the store's clock, and holders use a monotonic clock.
 *
 * @param ahead how far the store's clock is ahead, negative if it is behind
 * @param uncertainty the measurement error: half of the round trip
 */
public record ClockSkew(Duration ahead, Duration uncertainty) {

    /**
     * Returns whether the clocks certainly differ by more than a duration.
     *
     * @param limit the duration
     * @return true if they do even at the least possible difference
     */
    public boolean exceeds(Duration limit) {
        return ahead.abs().minus(uncertainty).compareTo(limit) > 0;
    }

    /** Returns the skew in milliseconds. */
    @Override
    public String toString() {
        return ahead.toMillis() + " ms, to within " + (uncertainty.toMillis() + 1) + " ms";
    }
}
