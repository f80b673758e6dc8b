package io.fenceline.cli.run;

import io.fenceline.BackendException;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Retries opening the backend until the wait limit: an outage at the start is treated as a later one. An unknown host is retried for
 * a short time only: a network that is not up yet comes soon, and a misspelt name never.
 */
final class OpenRetry {

    private static final Duration UNKNOWN_HOST_LIMIT = Duration.ofSeconds(5);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private OpenRetry() {}

    /**
     * Opens a backend, which the caller closes.
     *
     * @param onOutage is given the first failure that is retried, and for how long at most
     * @throws BackendException if the last attempt failed, or a failure was permanent
     */
    static LockBackend open(
            Supplier<LockBackend> attempt,
            Duration wait,
            TimeSource time,
            BiConsumer<BackendException, Duration> onOutage)
            throws InterruptedException {
        long startNanos = time.ticker().nanos();
        for (boolean first = true; ; first = false) {
            try {
                return attempt.get();
            } catch (BackendException e) {
                Duration limit = limit(wait, e);
                long leftNanos = limit.toNanos() - (time.ticker().nanos() - startNanos);
                if (!e.code().isTransient() || leftNanos <= 0) {
                    throw e;
                }
                if (first) {
                    onOutage.accept(e, limit);
                }
                time.delays().park(Math.min(PAUSE_NANOS, leftNanos));
            }
        }
    }

    private static Duration limit(Duration wait, BackendException failure) {
        boolean shorter = ExitCode.of(failure) == ExitCode.UNKNOWN_HOST && UNKNOWN_HOST_LIMIT.compareTo(wait) < 0;
        return shorter ? UNKNOWN_HOST_LIMIT : wait;
    }
}
