package io.fenceline.micrometer;

import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.util.List;

/**
 * Meters of locks, guards and elections, as a listener:
 *
 * <pre>{@code
 * LockListener metrics = FencelineMetrics.bindTo(registry);
 * Locks locks = Locks.builder(backend).listener(metrics).build();
 * }</pre>
 *
 * <p>Pass the same listener to guards, so that refusals of leases that are still held can be counted as token regressions. The meters and their tags are listed in {@code docs/operating.md}; names and tags
 * change only with a major version. Tags have few values: reasons, verdicts, error codes and, for elections, the group. Lock keys,
 * resources and holders are never tags.
 *
 * <p>Meters whose tags are known in advance start with 0, so that the first event is an increase. Thread-safe.
 */
public final class FencelineMetrics implements LockListener {

    private final List<LockListener> parts;

    private FencelineMetrics(List<LockListener> parts) {
        this.parts = parts;
    }

    /**
     * Registers the meters. Use one listener per registry: a second one would share the counters and could not register its gauges.
     *
     * @param registry where the meters are registered
     * @return a listener for {@link io.fenceline.LocksBuilder#listener} and for guards
     */
    public static FencelineMetrics bindTo(MeterRegistry registry) {
        return bindTo(registry, List.of());
    }

    /**
     * Registers the meters with common tags, for instance the name of the store.
     *
     * @param registry where the meters are registered
     * @param tags tags of every meter; other listeners of the same registry need the same tag names with other values
     * @return a listener for {@link io.fenceline.LocksBuilder#listener} and for guards
     */
    public static FencelineMetrics bindTo(MeterRegistry registry, Iterable<Tag> tags) {
        Meters meters = new Meters(registry, tags);
        return new FencelineMetrics(List.of(
                new AcquireMeters(meters),
                new LeaseMeters(meters),
                new GuardMeters(meters),
                new RegressionMeters(meters),
                new ElectionMeters(meters)));
    }

    @Override
    public void on(LockEvent event) {
        for (LockListener part : parts) {
            part.on(event);
        }
    }
}
