package io.fenceline.benchmarks.worker;

import io.fenceline.Backends;
import io.fenceline.LockKey;
import io.fenceline.benchmarks.store.StoreAddress;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;

/**
 * One thread that asks our backend whether a key is locked, which takes one round trip.
 *
 * @param address where its store is
 * @param times how often it asks one right after the other; a tenth as often with 10 ms in between
 */
public record RoundTripTask(StoreAddress address, int times) implements WorkerTask<RoundTripTask.Trips> {

    private static final int PAUSE_MILLIS = 10;

    /**
     * The durations.
     *
     * @param busy one right after the other
     * @param idle after a pause, from which processors have to wake first
     */
    public record Trips(Latencies busy, Latencies idle) implements Serializable {}

    @Override
    public Trips run(Stage stage) throws Exception {
        try (LockBackend backend = Backends.open(address.uri())) {
            backend.ability(SchemaControl.class)
                    .filter(schema -> !schema.schemaProblems().isEmpty())
                    .ifPresent(SchemaControl::installSchema);
            LockKey key = LockKey.of("round-trip");
            ask(backend, key, times, 0);
            return new Trips(ask(backend, key, times, 0), ask(backend, key, times / 10, PAUSE_MILLIS));
        }
    }

    private static Latencies ask(LockBackend backend, LockKey key, int times, int pauseMillis)
            throws InterruptedException {
        Latencies latencies = new Latencies();
        for (int i = 0; i < times; i++) {
            if (pauseMillis > 0) {
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            }
            long start = System.nanoTime();
            backend.isLocked(key);
            latencies.add(System.nanoTime() - start);
        }
        return latencies;
    }
}
