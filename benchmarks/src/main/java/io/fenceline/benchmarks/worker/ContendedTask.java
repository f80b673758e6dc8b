package io.fenceline.benchmarks.worker;

import io.fenceline.benchmarks.contender.KeyLock;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Threads that all want one key.
 *
 * @param key what they want
 * @param threads how many
 * @param section how long each holds it
 * @param rest how long each pauses before it asks again
 * @param window when it counts
 */
public record ContendedTask(String key, int threads, Duration section, Duration rest, Window window)
        implements WorkerTask<ContendedTask.Log> {

    /**
     * The threads' records, from the first grant to the last.
     *
     * @param threads of each, its grants
     * @param use in the window
     */
    public record Log(List<Holds> threads, ClientUse use) implements Serializable {}

    @Override
    public Log run(Stage stage) throws Exception {
        List<Callable<Holds>> loops = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            KeyLock lock = stage.client().lock(key);
            loops.add(() -> loop(lock));
        }
        Threads<Holds> running = Threads.start(loops);
        window.awaitStart();
        ClientUse before = ClientUse.now();
        window.awaitEnd();
        ClientUse use = ClientUse.now().since(before);
        return new Log(running.join(), use);
    }

    private Holds loop(KeyLock lock) throws Exception {
        Holds holds = new Holds();
        for (long called = System.nanoTime(); called < window.endNanos(); called = System.nanoTime()) {
            long token = lock.acquire();
            long granted = System.nanoTime();
            pause(section);
            long releasing = System.nanoTime();
            lock.release();
            holds.add(called, granted, releasing, System.nanoTime(), token);
            pause(rest);
        }
        return holds;
    }

    private static void pause(Duration duration) throws InterruptedException {
        if (!duration.isZero()) {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        }
    }
}
