package io.fenceline.micrometer;

import io.fenceline.BackendException;
import io.fenceline.jdbc.trigger.ObservedWrites;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Meter of writes that observing triggers admit and enforcing ones would refuse: {@code fenceline.guard.unfenced} by table,
 * operation and reason, as counted by the database. A thread of its own polls the database, so a scrape never blocks. While the
 * database fails, the values stay unchanged.
 */
public final class UnfencedWriteMetrics implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private final TriggerControl triggers;
    private final MultiGauge gauge;
    private final ScheduledExecutorService thread;

    /** Confined to the polling thread. */
    private final Map<Kind, AtomicLong> figures = new HashMap<>();

    private UnfencedWriteMetrics(MeterRegistry registry, TriggerControl triggers) {
        this.triggers = triggers;
        this.gauge = MultiGauge.builder("fenceline.guard.unfenced")
                .description("Writes that an observing trigger let pass and an enforcing one would refuse")
                .register(registry);
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread daemon = new Thread(task, "fenceline-unfenced-writes");
            daemon.setDaemon(true);
            return daemon;
        });
    }

    /**
     * Registers the meter and polls the database periodically, starting now. One process per database suffices.
     *
     * @param registry where the meter is registered
     * @param triggers ability of the database's lock backend
     * @param every the pause between polls, at least a millisecond
     * @return stops polling when closed
     */
    public static UnfencedWriteMetrics bindTo(MeterRegistry registry, TriggerControl triggers, Duration every) {
        if (every.toMillis() < 1) {
            throw new IllegalArgumentException("every is " + every + ", at least a millisecond is needed");
        }
        UnfencedWriteMetrics metrics = new UnfencedWriteMetrics(registry, triggers);
        metrics.start(every);
        return metrics;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // refresh throws nothing, and close ends the thread
    private void start(Duration every) {
        thread.scheduleWithFixedDelay(this::refresh, 0, every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private record Kind(String table, String operation, String reason) {}

    private void refresh() {
        try {
            Map<Kind, Long> seen = triggers.observed().stream()
                    .collect(Collectors.groupingBy(
                            writes -> new Kind(writes.table(), writes.operation(), writes.reason()),
                            Collectors.summingLong(ObservedWrites::seen)));
            seen.forEach((kind, count) ->
                    figures.computeIfAbsent(kind, unknown -> new AtomicLong()).set(count));
            figures.keySet().retainAll(seen.keySet());
            // Keeps existing rows: a replaced row could appear twice in a scrape.
            gauge.register(figures.entrySet().stream()
                    .<Row<?>>map(entry -> Row.of(tags(entry.getKey()), entry.getValue()))
                    .toList());
        } catch (BackendException e) {
            LOG.log(Level.WARNING, "unfenced writes cannot be read; the values stay unchanged", e);
        } catch (RuntimeException e) { // otherwise the executor would stop polling
            LOG.log(Level.ERROR, "unfenced writes cannot be read", e);
        }
    }

    private static Tags tags(Kind kind) {
        return Tags.of("table", kind.table(), "operation", kind.operation(), "reason", kind.reason());
    }

    /** Stops polling. The meter keeps its last values. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
