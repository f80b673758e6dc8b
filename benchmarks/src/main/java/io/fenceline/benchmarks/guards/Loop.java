package io.fenceline.benchmarks.guards;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that write as fast as they can. */
final class Loop {

    private Loop() {}

    /** Returns the writes of all threads in a second, over a window. */
    static double rate(Write write, int threads, Duration window) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            long start = System.nanoTime();
            long end = start + window.toNanos();
            List<Callable<Long>> loops = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                loops.add(() -> writes(write, number, end));
            }
            long writes = 0;
            for (Future<Long> loop : pool.invokeAll(loops)) {
                writes += loop.get();
            }
            return writes * 1e9 / (System.nanoTime() - start);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a write failed: " + e.getCause(), e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private static long writes(Write write, int thread, long end) throws Exception {
        long writes = 0;
        while (System.nanoTime() < end) {
            write.run(thread);
            writes++;
        }
        return writes;
    }
}
