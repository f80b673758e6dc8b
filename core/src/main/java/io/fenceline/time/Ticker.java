package io.fenceline.time;

/** A clock for measuring spans: it never goes back, and its zero means nothing. May stand still while the machine sleeps. */
@FunctionalInterface
public interface Ticker {

    /**
     * Returns the time in nanoseconds. Differences of two readings are meaningful, also across an overflow.
     *
     * @return nanoseconds since some fixed moment
     */
    long nanos();

    /**
     * Returns the JVM's own monotonic clock.
     *
     * @return {@link System#nanoTime()}
     */
    static Ticker system() {
        return System::nanoTime;
    }
}
