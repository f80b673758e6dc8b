package io.fenceline;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Checks whether the store of locks answers, within a limit of its own: drivers and pools may wait for much longer.
 *
 * <p>A check sends a request that changes nothing, to each of several stores, on a daemon thread. While one is under way, further checks
 * wait for the same reply, so a store that stands still costs one thread. Thread-safe.
 */
public final class StoreHealth {

    private final Locks locks;
    private CompletableFuture<Duration> latest = CompletableFuture.completedFuture(Duration.ZERO);

    private StoreHealth(Locks locks) {
        this.locks = locks;
    }

    /**
     * The result of a check.
     *
     * @param roundTrip how long the store took to reply, or empty if it failed or did not reply within the limit
     * @param problem why not, or empty
     */
    public record Result(Optional<Duration> roundTrip, Optional<String> problem) {

        /** Checks that both are given. */
        public Result {
            requireNonNull(roundTrip, "roundTrip");
            requireNonNull(problem, "problem");
        }

        /**
         * Returns whether the store answered.
         *
         * @return whether there is no problem
         */
        public boolean isUp() {
            return problem.isEmpty();
        }
    }

    /**
     * Returns a check of the store of these locks. Sends nothing yet.
     *
     * @param locks the locks
     * @return the check
     */
    public static StoreHealth of(Locks locks) {
        return new StoreHealth(requireNonNull(locks, "locks"));
    }

    /**
     * Asks the store.
     *
     * @param limit the longest time to wait for the reply, for instance a second
     * @return how long it took, or what is wrong
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Result check(Duration limit) throws InterruptedException {
        long millis = TimeUnit.MILLISECONDS.convert(limit);
        try {
            return new Result(Optional.of(reply().get(millis, TimeUnit.MILLISECONDS)), Optional.empty());
        } catch (TimeoutException e) {
            return down("the store did not reply within " + millis + " ms");
        } catch (ExecutionException e) {
            return down(String.valueOf(e.getCause()));
        }
    }

    private static Result down(String problem) {
        return new Result(Optional.empty(), Optional.of(problem));
    }

    /** Returns the reply that is on its way, or that to a new request. */
    private synchronized CompletableFuture<Duration> reply() {
        if (latest.isDone()) {
            latest = new CompletableFuture<>();
            ask(latest);
        }
        return latest;
    }

    private void ask(CompletableFuture<Duration> reply) {
        Thread thread = new Thread(
                () -> {
                    try {
                        long before = locks.time().ticker().nanos();
                        locks.ping();
                        reply.complete(Duration.ofNanos(locks.time().ticker().nanos() - before));
                    } catch (Throwable e) {
                        reply.completeExceptionally(e);
                    }
                },
                "fenceline-health");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (Throwable e) { // no thread can be started
            reply.completeExceptionally(e);
        }
    }
}
