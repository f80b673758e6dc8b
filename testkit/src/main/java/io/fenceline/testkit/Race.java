package io.fenceline.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Threads that start together. */
final class Race {

    private static final int LIMIT_SECONDS = 120;

    private Race() {}

    /**
     * Runs one task for each racer, all from the same moment on. If one fails, the others are interrupted. Returns
     * what the tasks returned, in the racers' order.
     */
    static <T> List<T> of(int racers, IntFunction<Callable<T>> tasks) {
        ExecutorService threads = Executors.newFixedThreadPool(racers);
        try {
            CyclicBarrier start = new CyclicBarrier(racers);
            CompletionService<T> finish = new ExecutorCompletionService<>(threads);
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < racers; i++) {
                Callable<T> task = tasks.apply(i);
                running.add(finish.submit(() -> {
                    start.await();
                    return task.call();
                }));
            }
            awaitAll(finish, racers);
            List<T> results = new ArrayList<>();
            for (Future<T> racer : running) {
                results.add(racer.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw new AssertionError("a racing thread failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while threads raced", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static <T> void awaitAll(CompletionService<T> finish, int racers)
            throws InterruptedException, ExecutionException {
        for (int i = 0; i < racers; i++) {
            Future<T> finished = finish.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (finished == null) {
                throw new AssertionError(
                        "a racing thread was not done " + LIMIT_SECONDS + " s after the one before it");
            }
            finished.get();
        }
    }
}
