package io.fenceline.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * Thread-local fields that a logging library adds to every message, like SLF4J's MDC. All methods act on the calling thread.
 */
public interface LogContext {

    /**
     * Reads a field.
     *
     * @param name its name
     * @return its value, or null if it is not set
     */
    @Nullable
    String get(String name);

    /**
     * Sets a field.
     *
     * @param name its name
     * @param value its value
     */
    void put(String name, String value);

    /**
     * Removes a field, if it is set.
     *
     * @param name its name
     */
    void remove(String name);
}
