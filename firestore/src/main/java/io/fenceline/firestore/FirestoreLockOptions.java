package io.fenceline.firestore;

import io.fenceline.telemetry.Redaction;
import java.time.Duration;

/**
 * How a {@link FirestoreLockBackend} works. All that share locks must have the same prefix.
 *
 * @param prefix what the names of the collections start with, for instance {@code fenceline} for {@code fenceline_locks}
 * @param commandTimeout how long an operation waits for the store, with its repetitions after a conflict
 * @param redaction how keys and lock ids are hidden in {@link io.fenceline.spi.LockRecord}s
 */
public record FirestoreLockOptions(String prefix, Duration commandTimeout, Redaction redaction) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the timeout is not at least a millisecond, or the prefix is not a letter or digit
     *     followed by at most 63 letters, digits, {@code _} and {@code -}
     */
    public FirestoreLockOptions {
        Collections.requirePrefix(prefix);
        if (commandTimeout.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException(
                    "commandTimeout is " + commandTimeout + ", at least a millisecond is needed");
        }
    }

    /**
     * Returns the prefix {@code fenceline}, 5 seconds for an operation, and hashes that can be compared within one backend's
     * life.
     *
     * @return the options of {@link FirestoreBackendProvider}
     */
    public static FirestoreLockOptions defaults() {
        return new FirestoreLockOptions(
                Collections.DEFAULT_PREFIX, Duration.ofSeconds(5), Redaction.withRandomSecret());
    }

    /**
     * Returns these options with another prefix.
     *
     * @param start what the names of the collections start with
     * @return a copy
     */
    public FirestoreLockOptions withPrefix(String start) {
        return new FirestoreLockOptions(start, commandTimeout, redaction);
    }

    /**
     * Returns these options with another limit.
     *
     * @param timeout how long an operation waits for the store
     * @return a copy
     */
    public FirestoreLockOptions withCommandTimeout(Duration timeout) {
        return new FirestoreLockOptions(prefix, timeout, redaction);
    }

    /**
     * Returns these options with other hashes.
     *
     * @param hashes how keys and lock ids are hidden
     * @return a copy
     */
    public FirestoreLockOptions withRedaction(Redaction hashes) {
        return new FirestoreLockOptions(prefix, commandTimeout, hashes);
    }
}
