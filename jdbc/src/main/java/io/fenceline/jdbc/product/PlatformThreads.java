package io.fenceline.jdbc.product;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.lang.reflect.Method;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs the database calls of virtual threads on platform threads.
 *
 * <p>An interrupt closes the socket that a virtual thread waits on, and the call fails. And HikariCP, which gives a connection back to
 * somebody who waits for one, yields in a loop until it is taken: on few processors such threads can keep all others from running, for
 * ever. A virtual thread that waits here does neither.
 */
final class PlatformThreads {

    /** Calls at a time; more than the connections of a pool, so that it is the pool that says what is short. */
    private static final int MAX_CALLS = 32;

    private static final @Nullable Method IS_VIRTUAL = isVirtual();

    private final Semaphore permits = new Semaphore(MAX_CALLS, true);
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), PlatformThreads::daemon);

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fenceline-jdbc");
        thread.setDaemon(true);
        return thread;
    }

    /** Starts a task on a thread of its own. */
    static void start(Runnable task) {
        try {
            daemon(task).start();
        } catch (OutOfMemoryError noThread) {
            throw withoutThread(noThread);
        }
    }

    private static BackendException withoutThread(OutOfMemoryError noThread) {
        return new BackendException(
                ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "cannot start a thread for a call", noThread);
    }

    private static @Nullable Method isVirtual() {
        try {
            return Thread.class.getMethod("isVirtual");
        } catch (NoSuchMethodException beforeJava21) {
            return null;
        }
    }

    private static boolean isOnVirtual() {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invoke(Thread.currentThread());
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** Runs a call, on this thread unless it is a virtual one. The thread's interrupt status is kept and ends nothing. */
    <T> T run(int timeoutMillis, IntFunction<T> call) {
        if (!isOnVirtual()) {
            return call.apply(timeoutMillis);
        }
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        if (!Uninterrupted.run(() -> permits.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS))) {
            throw new BackendException(
                    ErrorCode.NETWORK_TIMEOUT, Effect.NONE, "the database is busy with other calls", null);
        }
        int left = (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
        FutureTask<T> task = new FutureTask<>(() -> call.apply(left));
        try {
            threads.execute(task);
            return Uninterrupted.run(task::get);
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } catch (OutOfMemoryError noThread) {
            throw withoutThread(noThread);
        } finally {
            permits.release();
        }
    }

    static RuntimeException unwrapped(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e);
    }
}
