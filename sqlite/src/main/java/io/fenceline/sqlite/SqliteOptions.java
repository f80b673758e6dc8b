package io.fenceline.sqlite;

import io.fenceline.Redaction;
import java.time.Duration;

/**
 * Options of a {@link SqliteLockBackend}.
 *
 * @param clock decides when leases end; all processes that share a file must have the same
 * @param busyLimit how long an operation waits for its turn to write before it fails
 * @param redaction how keys and lock ids are hidden in {@link io.fenceline.LockRecord}s
 */
public record SqliteOptions(MachineClock clock, Duration busyLimit, Redaction redaction) {

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
     * Returns the machine's clock, a busy limit of 10 seconds, and hashes that can be compared within one backend's life.
     *
     * @return the options of {@link SqliteBackendProvider}
     */
    public static SqliteOptions defaults() {
        return new SqliteOptions(MachineClock.system(), Duration.ofSeconds(10), Redaction.withRandomSecret());
    }

    /**
     * Returns these options with another clock.
     *
     * @param newClock decides when leases end
     * @return a copy
     */
    public SqliteOptions withClock(MachineClock newClock) {
        return new SqliteOptions(newClock, busyLimit, redaction);
    }

    /**
     * Returns these options with another limit.
     *
     * @param newLimit how long an operation waits for its turn to write
     * @return a copy
     */
    public SqliteOptions withBusyLimit(Duration newLimit) {
        return new SqliteOptions(clock, newLimit, redaction);
    }

    /**
     * Returns these options with other hashes.
     *
     * @param newRedaction how keys and lock ids are hidden
     * @return a copy
     */
    public SqliteOptions withRedaction(Redaction newRedaction) {
        return new SqliteOptions(clock, busyLimit, newRedaction);
    }
}
