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
 * What runs the engine's background work. Four kinds are kept apart, so that none can hold up another: the watch, which
 * never blocks; renewals, which wait for the backend; callbacks, which run the user's code; and asynchronous acquisitions,
 * which wait for locks.
 *
 * <p>All threads are daemons, are started when first needed, and end after ten idle seconds, except the watch.
 *
 * @param watch whether the engine has a watch thread of its own
 * @param renewals runs calls of {@code extend}
 * @param callbacks runs what depends on a loss
 * @param async runs asynchronous acquisitions
 */
public record EngineThreads(boolean watch, Executor renewals, Executor callbacks, Executor async) {

    /** More renewals than this at a time would only press harder on a backend that is already slow. */
    private static final int MAX_RENEWALS = 8;

    /** Returns daemon threads. */
    public static EngineThreads daemons(@Nullable Executor async) {
        ThreadPoolExecutor renewals = new ThreadPoolExecutor(
                MAX_RENEWALS,
                MAX_RENEWALS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                daemonFactory("fenceline-renewal"));
        renewals.allowCoreThreadTimeOut(true);
        return new EngineThreads(true, renewals, cachedDaemons("fenceline-callback"), orDefault(async));
    }

    /** Returns no threads: background work happens in the thread that drives the engine, renewals last of all. */
    public static EngineThreads callerRuns(@Nullable Executor async) {
        return new EngineThreads(false, new Deferred(), Runnable::run, orDefault(async));
    }

    /** Runs the renewals that are due, if they have no threads of their own. */
    void runDeferred() {
        if (renewals instanceof Deferred deferred) {
            deferred.run();
        }
    }

    /** Makes the thread that runs due steps. */
    static Thread watchThread(Runnable loop) {
        return daemonFactory("fenceline-watch").newThread(loop);
    }

    /** Lets what was submitted finish and takes nothing more. */
    void shutdown() {
        for (Executor executor : new Executor[] {renewals, callbacks}) {
            if (executor instanceof ExecutorService service) {
                service.shutdown();
            }
        }
    }

    /** A new virtual thread for each task where the JVM has them (21 on), otherwise cached daemon threads. */
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

    /** Keeps tasks until somebody runs them, so that a renewal that waits for the backend delays no loss. */
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
