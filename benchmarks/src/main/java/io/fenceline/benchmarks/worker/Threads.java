package io.fenceline.benchmarks.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads that do the same at once. All stay alive until they are joined, since what a thread allocated is forgotten with it. */
final class Threads<R> {

    private static final long GRACE_SECONDS = 20;

    private final ExecutorService executor;
    private final CountDownLatch leave = new CountDownLatch(1);
    private final List<Future<R>> results = new ArrayList<>();

    private Threads(int size) {
        this.executor = Executors.newFixedThreadPool(size);
    }

    static <R> Threads<R> start(List<? extends Callable<R>> work) {
        Threads<R> threads = new Threads<>(work.size());
        work.forEach(one -> threads.results.add(threads.executor.submit(() -> {
            R result = one.call();
            threads.leave.await();
            return result;
        })));
        threads.executor.shutdown();
        return threads;
    }

    /** Waits for all; those that do not come to an end in good time are interrupted. */
    List<R> join() throws Exception {
        List<R> joined = new ArrayList<>();
        leave.countDown();
        try {
            for (Future<R> result : results) {
                joined.add(result.get(GRACE_SECONDS, TimeUnit.SECONDS));
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            throw new IllegalStateException("a thread is stuck", e);
        } finally {
            executor.shutdownNow();
            executor.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS);
        }
        return joined;
    }
}
