package io.fenceline.examples;

import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.Redaction;
import io.fenceline.StoreHealth;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.micrometer.FencelineMetrics;
import io.fenceline.micrometer.FencelineObservations;
import io.fenceline.micrometer.Mdc;
import io.fenceline.micrometer.UnfencedWriteMetrics;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.KeyView;
import io.fenceline.telemetry.LogFields;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import javax.sql.DataSource;

/** Meters, spans and log fields, as the documentation shows them. */
public final class Telemetry {

    private Telemetry() {}

    /** Locks and a guard that are measured. */
    public static Locks measured(MeterRegistry registry, LockBackend backend, DataSource dataSource) {
        FencelineMetrics metrics = FencelineMetrics.bindTo(registry);
        Locks locks = Locks.builder(backend).listener(metrics).build();
        JdbcFenceGuard guard =
                JdbcFenceGuard.on(dataSource, GuardOptions.defaults().withListeners(metrics));
        guard.highest("invoice:42");
        return locks;
    }

    /** Spans and log fields beside the meters. */
    public static Locks traced(
            LockBackend backend, FencelineMetrics metrics, ObservationRegistry observations, byte[] secret) {
        KeyView keys = KeyView.hidden(Redaction.withSecret(secret)); // or KeyView.plain()
        return Locks.builder(backend)
                .listener(metrics)
                .listener(FencelineObservations.on(observations, keys))
                .listener(Mdc.fields(keys))
                .build();
    }

    /** Log fields on a thread of one's own. */
    public static void logged(LogFields fields, Lease lease, Runnable work) {
        LogFields.Scope scope = fields.open(lease.stamp());
        try {
            work.run();
        } finally {
            scope.close();
        }
    }

    /** Writes that an observing trigger let pass. */
    public static UnfencedWriteMetrics unfenced(MeterRegistry registry, LockBackend backend) {
        TriggerControl triggers = backend.ability(TriggerControl.class).orElseThrow();
        return UnfencedWriteMetrics.bindTo(registry, triggers, Duration.ofMinutes(1));
    }

    /** A health check with a limit of its own. */
    public static String health(Locks locks) throws InterruptedException {
        StoreHealth health = StoreHealth.of(locks); // once for each process
        StoreHealth.Result result = health.check(Duration.ofSeconds(1));
        String text = result.isUp() ? "up" : "down: " + result.problem().orElseThrow();
        return text;
    }
}
