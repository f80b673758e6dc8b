package io.fenceline.time;

/**
 * All that the engine knows of time.
 *
 * @param ticker measures spans
 * @param wallClock tells the time of day
 * @param delays waits, by the same time that the ticker measures
 */
public record TimeSource(Ticker ticker, WallClock wallClock, Delays delays) {

    /**
     * Returns real time.
     *
     * @return the machine's clocks and real waiting
     */
    public static TimeSource system() {
        return new TimeSource(Ticker.system(), WallClock.system(), Delays.system());
    }
}
