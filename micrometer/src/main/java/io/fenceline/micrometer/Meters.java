package io.fenceline.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;

/** Creates meters with common tags. */
final class Meters {

    /** Histogram buckets of durations. */
    private static final Duration[] TIMES = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30)
    };

    private final MeterRegistry registry;
    private final Tags common;

    Meters(MeterRegistry registry, Iterable<Tag> common) {
        this.registry = registry;
        this.common = Tags.of(common);
    }

    Counter counter(String name, String description, String... tags) {
        return Counter.builder(name)
                .description(description)
                .tags(common.and(tags))
                .register(registry);
    }

    Timer timer(String name, String description, String... tags) {
        return Timer.builder(name)
                .description(description)
                .tags(common.and(tags))
                .serviceLevelObjectives(TIMES)
                .register(registry);
    }

    DistributionSummary summary(String name, String unit, String description, double... buckets) {
        return DistributionSummary.builder(name)
                .description(description)
                .baseUnit(unit)
                .tags(common)
                .serviceLevelObjectives(buckets)
                .register(registry);
    }

    Gauge gauge(String name, String description, Supplier<Number> value, String... tags) {
        return Gauge.builder(name, value)
                .description(description)
                .tags(common.and(tags))
                .register(registry);
    }

    void remove(Gauge gauge) {
        registry.remove(gauge);
    }

    long nanos() {
        return registry.config().clock().monotonicTime();
    }

    /** Formats a constant as a tag value. */
    static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
