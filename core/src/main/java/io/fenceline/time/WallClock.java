package io.fenceline.time;

/** A wall clock. It can be set forward and back. */
@FunctionalInterface
public interface WallClock {

    /**
     * Returns the wall clock time.
     *
     * @return milliseconds since 1970-01-01T00:00:00Z
     */
    long millis();

    /**
     * Returns the system clock.
     *
     * @return {@link System#currentTimeMillis()}
     */
    static WallClock system() {
        return System::currentTimeMillis;
    }
}
