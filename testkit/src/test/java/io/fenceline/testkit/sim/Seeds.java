package io.fenceline.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** The seeds that tests try: {@code -Dfenceline.seeds=} sets how many, {@code -Dfenceline.seed=} replays one. */
final class Seeds {

    /** How many, from zero on. */
    static final long ALL = Long.getLong("fenceline.seeds", 1_000);

    private static final long PROGRESS = 5_000;

    private Seeds() {}

    /** Does something with all seeds but those above a limit, with as many threads as there are processors. */
    static void forEach(long atMost, LongConsumer action) throws InterruptedException {
        Long only = Long.getLong("fenceline.seed");
        if (only != null) {
            action.accept(only);
            return;
        }
        long end = Math.min(ALL, atMost);
        AtomicLong next = new AtomicLong();
        int processors = Runtime.getRuntime().availableProcessors();
        ExecutorService threads = Executors.newFixedThreadPool(processors);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < processors; i++) {
                running.add(threads.submit(() -> {
                    for (long seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement()) {
                        try {
                            action.accept(seed);
                        } catch (RuntimeException | Error e) {
                            next.set(end); // so that it is told before all others have run
                            throw e;
                        }
                        if ((seed + 1) % PROGRESS == 0) {
                            System.out.println("simulation: " + (seed + 1) + " of " + end + " seeds are sound");
                        }
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Error error ? error : new AssertionError(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }
}
