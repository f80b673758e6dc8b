package io.fenceline.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Executors of the engine's background work. Five kinds are kept apart, so that none delays another: the watch, which never
 * blocks; renewals, which wait for the backend; callbacks, which run user code; undos of abandoned attempts, which wait for
 * the backend; and asynchronous acquisitions, which wait for locks. If no thread can be started for a callback, it runs on the
 * thread that noticed the loss.
 *
 * <p>All threads are daemons, are started when first needed, and end after ten idle seconds, except the watch.
 *
 * @param watch whether the engine has a watch thread of its own
 * @param renewals runs calls of {@code extend}
 * @param callbacks runs listeners of a loss
 * @param undos runs releases of abandoned attempts
 * @param async runs asynchronous acquisitions
 */
public record EngineThreads(boolean watch, Renewals renewals, Executor callbacks, Executor undos, Executor async) {

    /** Maximum number of concurrent undos. */
    static final int MAX_UNDOS = 64;

    /** Returns daemon threads. */
    public static EngineThreads daemons(@Nullable Executor async) {
        return new EngineThreads(
                true,
                new RenewalThreads(daemonFactory("fenceline-renewal"), RenewalThreads.SLOW),
                cachedDaemons("fenceline-callback"),
                boundedDaemons("fenceline-undo", MAX_UNDOS),
                orDefault(async));
    }

    /** Returns executors without threads: the thread that drives the engine does the background work, renewals last. */
    public static EngineThreads callerRuns(@Nullable Executor async) {
        Deferred later = new Deferred();
        return new EngineThreads(false, new DeferredRenewals(later), Runnable::run, later, orDefault(async));
    }

    /** Runs deferred renewals and undos, if this engine has no threads. */
    void runDeferred() {
        if (undos instanceof Deferred deferred) {
            deferred.run();
        }
    }

    /** Creates the thread that runs due steps. */
    static Thread watchThread(Runnable loop) {
        return daemonFactory("fenceline-watch").newThread(loop);
    }

    /** Creates the thread that starts undo retries. */
    static Thread undoRetriesThread(Runnable loop) {
        return daemonFactory("fenceline-undo-retries").newThread(loop);
    }

    /**
     * Rejects new tasks, and waits for undos that were begun.
     *
     * @param nanos the longest wait
     */
    void shutdown(long nanos) {
        renewals.close();
        for (Executor executor : new Executor[] {callbacks, undos}) {
            if (executor instanceof ExecutorService service) {
                service.shutdown();
            }
        }
        if (undos instanceof ExecutorService service) {
            try {
                service.awaitTermination(nanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Uses a virtual thread for each task on Java 21 and later, and cached daemon threads before. */
    private static Executor orDefault(@Nullable Executor async) {
        if (async != null) {
            return async;
        }
        try {
            return (Executor)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException beforeJava21) {
            return cachedDaemons("fenceline-async");
        }
    }

    private static Executor boundedDaemons(String name, int most) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                most, most, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemonFactory(name));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private static Executor cachedDaemons(String name) {
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), daemonFactory(name));
    }

    private static ThreadFactory daemonFactory(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Renewals that run when the engine is driven. */
    private record DeferredRenewals(Executor later) implements Renewals {

        @Override
        public void start(HeldLease lease) {
            later.execute(lease.extensions()::renew);
        }

        @Override
        public void close() {}
    }

    /** Queues tasks until {@link #run}, so that a blocking renewal delays no loss. */
    private static final class Deferred implements Executor {
        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        void run() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }
    }
}
