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
 * A meter of the writes that observing triggers let pass and enforcing ones would refuse: {@code fenceline.guard.unfenced} by
 * table, operation and reason, as the database has counted them. The database is asked by a thread of its own; a scrape never
 * waits for it. While it cannot be asked, the figures stay as they are.
 */
public final class UnfencedWriteMetrics implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private final TriggerControl triggers;
    private final MultiGauge gauge;
    private final ScheduledExecutorService thread;

    /** For the one thread alone. */
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
     * Registers the meter and asks the database at once and then again and again. One process for each database is enough.
     *
     * @param registry where the meter is registered
     * @param triggers the database's, an ability of its lock backend
     * @param every the pause between two questions, a millisecond at least
     * @return ends the asking when closed
     */
    public static UnfencedWriteMetrics bindTo(MeterRegistry registry, TriggerControl triggers, Duration every) {
        if (every.toMillis() < 1) {
            throw new IllegalArgumentException("every is " + every + ", at least a millisecond is needed");
        }
        UnfencedWriteMetrics metrics = new UnfencedWriteMetrics(registry, triggers);
        metrics.start(every);
        return metrics;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // refresh throws nothing; the thread's end is ours
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
            // A row that is there already stays there: one that is replaced can be seen twice by a scrape.
            gauge.register(figures.entrySet().stream()
                    .<Row<?>>map(entry -> Row.of(tags(entry.getKey()), entry.getValue()))
                    .toList());
        } catch (BackendException e) {
            LOG.log(Level.WARNING, "unfenced writes cannot be counted; the figures stay as they are", e);
        } catch (RuntimeException e) { // else the executor would never ask again
            LOG.log(Level.ERROR, "unfenced writes cannot be counted", e);
        }
    }

    private static Tags tags(Kind kind) {
        return Tags.of("table", kind.table(), "operation", kind.operation(), "reason", kind.reason());
    }

    /** Ends the asking. The meter stays with its last figures. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
