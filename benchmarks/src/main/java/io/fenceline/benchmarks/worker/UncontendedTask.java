package io.fenceline.benchmarks.worker;

import io.fenceline.benchmarks.contender.KeyLock;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Threads that acquire and release a key of their own as fast as they can.
 *
 * @param threads how many
 * @param window when it counts
 */
public record UncontendedTask(int threads, Window window) implements WorkerTask<UncontendedTask.Cycles> {

    /** One cycle is timed in about this time. */
    private static final long UNTIMED_NANOS = 20_000;

    private static final int MAX_UNTIMED = 50;

    /**
     * The threads' records.
     *
     * @param cycle durations of acquire and release together, of cycles that were timed within the window
     * @param acquire of the first half
     * @param release of the second
     * @param counted cycles within the window, timed or not
     * @param all cycles, also those of the warm-up
     * @param use in the window
     */
    public record Cycles(Latencies cycle, Latencies acquire, Latencies release, long counted, long all, ClientUse use)
            implements Serializable {

        Cycles and(Cycles other) {
            return new Cycles(
                    cycle.addAll(other.cycle),
                    acquire.addAll(other.acquire),
                    release.addAll(other.release),
                    counted + other.counted,
                    all + other.all,
                    use.and(other.use));
        }
    }

    @Override
    public Cycles run(Stage stage) throws Exception {
        List<Callable<Cycles>> loops = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            KeyLock lock = stage.client().lock("invoice:" + thread);
            loops.add(() -> loop(lock));
        }
        Threads<Cycles> running = Threads.start(loops);
        window.awaitStart();
        ClientUse before = ClientUse.now();
        window.awaitEnd();
        ClientUse use = ClientUse.now().since(before);
        Cycles none = new Cycles(new Latencies(), new Latencies(), new Latencies(), 0, 0, use);
        return running.join().stream().reduce(none, Cycles::and);
    }

    private Cycles loop(KeyLock lock) throws Exception {
        Latencies cycle = new Latencies();
        Latencies acquire = new Latencies();
        Latencies release = new Latencies();
        long counted = 0;
        long all = 0;
        long start = System.nanoTime();
        while (start < window.endNanos()) {
            lock.acquire();
            long held = System.nanoTime();
            lock.release();
            long end = System.nanoTime();
            int cycles = 1 + untimed(lock, end - start);
            long done = cycles == 1 ? end : System.nanoTime();
            if (start >= window.startNanos() && done < window.endNanos()) {
                cycle.add(end - start);
                acquire.add(held - start);
                release.add(end - held);
                counted += cycles;
            }
            all += cycles;
            start = done;
        }
        return new Cycles(cycle, acquire, release, counted, all, new ClientUse(0, 0));
    }

    /** Goes on without a look at the clock, which would be a good part of a cycle that takes less than a microsecond. */
    private static int untimed(KeyLock lock, long cycleNanos) throws Exception {
        int cycles = (int) Math.min(MAX_UNTIMED, UNTIMED_NANOS / Math.max(1, cycleNanos));
        for (int i = 0; i < cycles; i++) {
            lock.acquire();
            lock.release();
        }
        return cycles;
    }
}
