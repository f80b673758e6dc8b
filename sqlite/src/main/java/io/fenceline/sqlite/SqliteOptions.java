package io.fenceline.sqlite;

import io.fenceline.Redaction;
import java.time.Duration;

/**
 * Options of a {@link SqliteLockBackend}.
 *
 * @param busyLimit how long an operation waits for other writers before it fails
 * @param redaction how keys and lock ids are hidden in {@link io.fenceline.LockRecord}s
 */
public record SqliteOptions(Duration busyLimit, Redaction redaction) {

    /**
     * Checks the limit.
     *
     * @throws IllegalArgumentException if the limit is not above zero
     */
    public SqliteOptions {
        if (busyLimit.isNegative() || busyLimit.isZero()) {
            throw new IllegalArgumentException("busyLimit is " + busyLimit + ", it must be above zero");
        }
    }

    /**
     * Returns a busy limit of 10 seconds, and hashes that can be compared within one backend's life.
     *
     * @return the options of {@link SqliteBackendProvider}
     */
    public static SqliteOptions defaults() {
        return new SqliteOptions(Duration.ofSeconds(10), Redaction.withRandomSecret());
    }

    /**
     * Returns these options with another limit.
     *
     * @param newLimit how long an operation waits for other writers
     * @return a copy
     */
    public SqliteOptions withBusyLimit(Duration newLimit) {
        return new SqliteOptions(newLimit, redaction);
    }

    /**
     * Returns these options with other hashes.
     *
     * @param newRedaction how keys and lock ids are hidden
     * @return a copy
     */
    public SqliteOptions withRedaction(Redaction newRedaction) {
        return new SqliteOptions(busyLimit, newRedaction);
    }
}
