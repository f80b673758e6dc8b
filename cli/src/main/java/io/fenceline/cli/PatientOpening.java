package io.fenceline.cli;

import io.fenceline.BackendException;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The opening of a store by somebody who waits for a lock, and so outlives an outage at the beginning as well as later. */
final class PatientOpening {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private PatientOpening() {}

    /**
     * Opens a store. If it cannot be reached for now, tries again.
     *
     * @param opening one attempt
     * @param patience how long it is tried; one attempt is made if it is zero
     * @param time what the patience and the pauses between attempts are measured by
     * @param told told of the first failure, if others may follow
     * @return a backend that the caller closes
     * @throws BackendException if the last attempt failed, or one failed for good
     */
    static LockBackend of(
            Supplier<LockBackend> opening, Duration patience, TimeSource time, Consumer<BackendException> told)
            throws InterruptedException {
        long startNanos = time.ticker().nanos();
        for (boolean first = true; ; first = false) {
            try {
                return opening.get();
            } catch (BackendException e) {
                long leftNanos = patience.toNanos() - (time.ticker().nanos() - startNanos);
                if (!e.code().isTransient() || leftNanos <= 0) {
                    throw e;
                }
                if (first) {
                    told.accept(e);
                }
                time.delays().park(Math.min(PAUSE_NANOS, leftNanos));
            }
        }
    }
}
