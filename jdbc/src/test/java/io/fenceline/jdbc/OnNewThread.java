package io.fenceline.jdbc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Runs tasks that wait for one another, each on a thread of its own: the common pool may have one thread for all. */
public final class OnNewThread {

    private static final Executor NEW_THREAD = task -> new Thread(task).start();

    private OnNewThread() {}

    public static CompletableFuture<Void> run(Runnable task) {
        return CompletableFuture.runAsync(task, NEW_THREAD);
    }

    public static <T> CompletableFuture<T> supply(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, NEW_THREAD);
    }
}
