package io.fenceline.firestore;

import io.fenceline.Redaction;
import java.time.Duration;

/**
 * Options of a {@link FirestoreLockBackend}.
 *
 * @param layout the layout of the lock documents
 * @param commandTimeout timeout of an operation, retries after conflicts included
 * @param redaction hides keys and lock ids in {@link io.fenceline.LockRecord}s
 */
public record FirestoreLockOptions(DocumentLayout layout, Duration commandTimeout, Redaction redaction) {

    /**
     * Checks the timeout.
     *
     * @throws IllegalArgumentException if it is not at least a millisecond
     */
    public FirestoreLockOptions {
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
                DocumentLayout.fenceline(FirestoreCollections.DEFAULT_PREFIX),
                Duration.ofSeconds(5),
                Redaction.withRandomSecret());
    }

    /**
     * Returns these options with another prefix.
     *
     * @param start prefix of the collection names
     * @return a copy
     * @throws IllegalArgumentException if it is no prefix ({@link DocumentLayout#fenceline})
     */
    public FirestoreLockOptions withPrefix(String start) {
        return withLayout(DocumentLayout.fenceline(start));
    }

    /**
     * Returns these options with another layout.
     *
     * @param other the layout, for instance {@link DocumentLayout#syncGuard}
     * @return a copy
     */
    public FirestoreLockOptions withLayout(DocumentLayout other) {
        return new FirestoreLockOptions(other, commandTimeout, redaction);
    }

    /**
     * Returns these options with another limit.
     *
     * @param timeout timeout of an operation
     * @return a copy
     */
    public FirestoreLockOptions withCommandTimeout(Duration timeout) {
        return new FirestoreLockOptions(layout, timeout, redaction);
    }

    /**
     * Returns these options with other hashes.
     *
     * @param hashes hides keys and lock ids
     * @return a copy
     */
    public FirestoreLockOptions withRedaction(Redaction hashes) {
        return new FirestoreLockOptions(layout, commandTimeout, hashes);
    }
}
