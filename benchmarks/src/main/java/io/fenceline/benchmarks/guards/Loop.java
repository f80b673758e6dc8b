package io.fenceline.benchmarks.guards;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that write as fast as they can, plain and guarded in slices of 50 ms. Disks and neighbours change their speed within
 * seconds, so halves of a round would not be comparable.
 */
final class Loop {

    private static final long SLICE_NANOS = 50_000_000;

    private final Pair pair;
    private final long startNanos = System.nanoTime();
    private final long endNanos;
    private final boolean[] guardedSlices;

    private Loop(Pair pair, Duration window) {
        this.pair = pair;
        this.endNanos = startNanos + window.toNanos();
        this.guardedSlices = inRandomPairs((int) (window.toNanos() / SLICE_NANOS) + 1);
    }

    /** Writes and the time that they took, of one kind. */
    private static final class Tally {
        private long writes;
        private long nanos;

        void add(Tally other) {
            writes += other.writes;
            nanos += other.nanos;
        }

        double perSecond() {
            return writes * 1e9 / nanos;
        }
    }

    /**
     * The writes of all threads in a second.
     *
     * @param plain without a guard
     * @param guarded with it
     */
    record Rates(double plain, double guarded) {}

    static Rates rates(Pair pair, int threads, Duration window) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            Loop loop = new Loop(pair, window);
            List<Callable<Tally[]>> loops = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                loops.add(() -> loop.writes(number));
            }
            Tally plain = new Tally();
            Tally guarded = new Tally();
            for (Future<Tally[]> result : pool.invokeAll(loops)) {
                plain.add(result.get()[0]);
                guarded.add(result.get()[1]);
            }
            return new Rates(threads * plain.perSecond(), threads * guarded.perSecond());
        } catch (ExecutionException e) {
            throw new IllegalStateException("a write failed: " + e.getCause(), e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private Tally[] writes(int thread) throws Exception {
        Tally[] tallies = {new Tally(), new Tally()};
        long began = System.nanoTime();
        while (began < endNanos) {
            boolean guarded = guardedSlices[(int) ((began - startNanos) / SLICE_NANOS)];
            (guarded ? pair.guarded() : pair.plain()).run(thread);
            long ended = System.nanoTime();
            Tally tally = tallies[guarded ? 1 : 0];
            tally.writes++;
            tally.nanos += ended - began;
            began = ended;
        }
        return tallies;
    }

    /** Of each two slices one is guarded, in random order: nothing else on the machine has the same rhythm. */
    private static boolean[] inRandomPairs(int slices) {
        Random random = new Random(slices);
        boolean[] guarded = new boolean[slices];
        for (int i = 0; i < slices; i++) {
            guarded[i] = i % 2 == 0 ? random.nextBoolean() : !guarded[i - 1];
        }
        return guarded;
    }
}
