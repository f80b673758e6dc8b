package io.fenceline.engine;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call on a thread of its own. */
final class Background<T> {

    private static final int PATIENCE_SECONDS = 30;

    private final FutureTask<T> task;
    private final Thread thread;

    private Background(Callable<T> call) {
        task = new FutureTask<>(call);
        thread = new Thread(task, "background of " + Thread.currentThread().getName());
        thread.setDaemon(true);
    }

    static <T> Background<T> start(Callable<T> call) {
        Background<T> background = new Background<>(call);
        background.thread.start();
        return background;
    }

    boolean isDone() {
        return task.isDone();
    }

    void interrupt() {
        thread.interrupt();
    }

    /** What the call returned. */
    T result() throws Exception {
        try {
            return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("the call failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw notDone();
        }
    }

    /** What the call threw. */
    Throwable failure() throws Exception {
        try {
            return new AssertionError(
                    "the call did not fail, it returned " + task.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (TimeoutException e) {
            throw notDone();
        }
    }

    private AssertionError notDone() {
        return new AssertionError(
                "the call is not done after " + PATIENCE_SECONDS + " s: " + Arrays.toString(thread.getStackTrace()));
    }
}
