package io.fenceline.time;

/** The machine's idea of the time of day. It can be stepped in both directions. */
@FunctionalInterface
public interface WallClock {

    /**
     * Returns the time of day.
     *
     * @return milliseconds since 1970-01-01T00:00:00Z
     */
    long millis();

    /**
     * Returns the machine's clock.
     *
     * @return {@link System#currentTimeMillis()}
     */
    static WallClock system() {
        return System::currentTimeMillis;
    }
}
