package io.fenceline.cli.run;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.cli.context.StoreUri;
import io.fenceline.cli.output.DurationText;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Retries opening the backend until the wait limit: an outage at the start is treated as a later one. An unknown host is retried for
 * a short time only: a network that is not up yet comes soon, and a misspelt name never.
 */
final class OpenRetry {

    private static final Duration UNKNOWN_HOST_LIMIT = Duration.ofSeconds(5);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Enough for a driver to start on a busy machine. */
    private static final Duration SHORTEST_ATTEMPT = Duration.ofSeconds(2);

    private OpenRetry() {}

    /**
     * Opens a backend, which the caller closes. A store that says nothing is waited for until the limit, at least
     * 2 seconds; without a wait, for as long as its driver takes.
     *
     * @param onOutage is given the first failure that is retried, and for how much longer at most
     * @throws BackendException if the last attempt failed, or a failure was permanent
     */
    static LockBackend open(
            StoreUri store, Duration wait, TimeSource time, BiConsumer<BackendException, Duration> onOutage)
            throws InterruptedException {
        return open(store.isFile() ? null : store.toString(), store::open, wait, time, onOutage);
    }

    /** Opens a backend. {@code name} is null if it has no server that could fall silent. */
    static LockBackend open(
            @Nullable String name,
            Supplier<LockBackend> opening,
            Duration wait,
            TimeSource time,
            BiConsumer<BackendException, Duration> onOutage)
            throws InterruptedException {
        long startNanos = time.ticker().nanos();
        BackendException first = null;
        while (true) {
            try {
                Duration left = wait.minusNanos(time.ticker().nanos() - startNanos);
                return wait.isZero() || name == null
                        ? opening.get()
                        : within(longer(left, SHORTEST_ATTEMPT), name, opening);
            } catch (BackendException e) {
                Duration limit = limit(wait, e);
                long leftNanos = limit.toNanos() - (time.ticker().nanos() - startNanos);
                if (!e.code().isTransient() || leftNanos <= 0) {
                    // An attempt that was given up knows nothing of the store.
                    throw first != null && e.getCause() instanceof TimeoutException ? first : e;
                }
                if (first == null) {
                    first = e;
                    onOutage.accept(e, Duration.ofNanos(leftNanos));
                }
                time.delays().park(Math.min(PAUSE_NANOS, leftNanos));
            }
        }
    }

    /** One attempt on a thread of its own, since a driver cannot be told how long it may wait. Closes what is opened too late. */
    private static LockBackend within(Duration limit, String name, Supplier<LockBackend> opening)
            throws InterruptedException {
        CompletableFuture<LockBackend> opened = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        LockBackend backend = opening.get();
                        if (!opened.complete(backend)) {
                            backend.close();
                        }
                    } catch (RuntimeException | Error e) {
                        opened.completeExceptionally(e);
                    }
                },
                "open-store");
        thread.setDaemon(true);
        thread.start();
        try {
            try {
                return opened.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                String message = "the store '" + name + "' did not answer within " + DurationText.of(limit)
                        + "; if it should, check host and port";
                opened.completeExceptionally(new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.NONE, message, e));
                return opened.get(); // it may have been opened in this very moment
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e.getCause();
        } finally {
            opened.cancel(false);
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration limit(Duration wait, BackendException failure) {
        boolean shorter = ExitCode.of(failure) == ExitCode.UNKNOWN_HOST && UNKNOWN_HOST_LIMIT.compareTo(wait) < 0;
        return shorter ? UNKNOWN_HOST_LIMIT : wait;
    }
}
