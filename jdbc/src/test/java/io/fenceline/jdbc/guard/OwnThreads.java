package io.fenceline.jdbc.guard;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Runs work on threads of the tests' own. */
final class OwnThreads {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "test");
        thread.setDaemon(true);
        return thread;
    });

    private OwnThreads() {}

    static <T> CompletableFuture<T> supply(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, THREADS);
    }

    static CompletableFuture<Void> run(Runnable work) {
        return CompletableFuture.runAsync(work, THREADS);
    }
}
