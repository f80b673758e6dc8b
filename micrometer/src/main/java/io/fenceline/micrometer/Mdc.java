package io.fenceline.micrometer;

import io.fenceline.telemetry.KeyView;
import io.fenceline.telemetry.LogContext;
import io.fenceline.telemetry.LogFields;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Log fields in SLF4J's MDC. SLF4J is an optional dependency. */
public final class Mdc implements LogContext {

    private Mdc() {}

    /**
     * Returns log fields that hide keys behind a hash.
     *
     * @return a listener for {@link io.fenceline.LocksBuilder#listener}
     */
    public static LogFields fields() {
        return fields(KeyView.hidden());
    }

    /**
     * Returns log fields.
     *
     * @param keys how lock keys are shown
     * @return a listener for {@link io.fenceline.LocksBuilder#listener}
     */
    public static LogFields fields(KeyView keys) {
        return LogFields.in(new Mdc(), keys);
    }

    @Override
    public @Nullable String get(String name) {
        return MDC.get(name);
    }

    @Override
    public void put(String name, String value) {
        MDC.put(name, value);
    }

    @Override
    public void remove(String name) {
        MDC.remove(name);
    }
}
