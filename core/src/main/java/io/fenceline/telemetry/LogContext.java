package io.fenceline.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * Fields that a logging library adds to every line of the current thread, as the MDC of SLF4J does. All methods act on the
 * calling thread alone.
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
     * Removes a field; does nothing if it is not set.
     *
     * @param name its name
     */
    void remove(String name);
}
