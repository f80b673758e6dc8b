package io.fenceline.time;

/**
 * The clocks and delays of the engine.
 *
 * @param ticker the monotonic clock
 * @param wallClock the wall clock
 * @param delays delays on the time of the ticker
 */
public record TimeSource(Ticker ticker, WallClock wallClock, Delays delays) {

    /**
     * Returns the system's time.
     *
     * @return the system's clocks and delays
     */
    public static TimeSource system() {
        return new TimeSource(Ticker.system(), WallClock.system(), Delays.system());
    }
}
