package io.fenceline.time;

/** A monotonic clock with an arbitrary origin. It may stop while the machine sleeps. */
@FunctionalInterface
public interface Ticker {

    /**
     * Returns the time in nanoseconds. Differences of two readings are meaningful, also across an overflow.
     *
     * @return nanoseconds since an arbitrary origin
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
