package io.fenceline.cli.run;

import io.fenceline.BackendException;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Retries opening the backend until the wait limit: an outage at the start is treated as a later one. */
final class OpenRetry {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private OpenRetry() {}

    /**
     * Opens a backend, which the caller closes.
     *
     * @throws BackendException if the last attempt failed, or a failure was permanent
     */
    static LockBackend open(
            Supplier<LockBackend> attempt, Duration limit, TimeSource time, Consumer<BackendException> onOutage)
            throws InterruptedException {
        long startNanos = time.ticker().nanos();
        for (boolean first = true; ; first = false) {
            try {
                return attempt.get();
            } catch (BackendException e) {
                long leftNanos = limit.toNanos() - (time.ticker().nanos() - startNanos);
                if (!e.code().isTransient() || leftNanos <= 0) {
                    throw e;
                }
                if (first) {
                    onOutage.accept(e);
                }
                time.delays().park(Math.min(PAUSE_NANOS, leftNanos));
            }
        }
    }
}
