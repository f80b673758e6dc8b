package io.fenceline.firestore;

import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import java.time.Duration;

/**
 * Options of guards and clocks in Firestore.
 *
 * @param rule how often a grant may write
 * @param listeners called on refusals
 * @param prefix prefix of the collection names, the same for all writers of a resource
 * @param timeout timeout of an operation, retries after conflicts included
 */
public record FirestoreGuardOptions(FenceRule rule, LockListeners listeners, String prefix, Duration timeout) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the timeout is not at least a millisecond, or the prefix is not a letter or digit
     *     followed by at most 63 letters, digits, {@code _} and {@code -}
     */
    public FirestoreGuardOptions {
        FirestoreCollections.requirePrefix(prefix);
        if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("timeout is " + timeout + ", at least a millisecond is needed");
        }
    }

    /**
     * Returns the rule {@link FenceRule#AT_LEAST}, no listeners, the prefix {@code fenceline} and 10 seconds.
     *
     * @return the options to start from
     */
    public static FirestoreGuardOptions defaults() {
        return new FirestoreGuardOptions(
                FenceRule.AT_LEAST, LockListeners.NONE, FirestoreCollections.DEFAULT_PREFIX, Duration.ofSeconds(10));
    }

    /**
     * Returns these options with another rule.
     *
     * @param newRule how often a grant may write
     * @return a copy
     */
    public FirestoreGuardOptions withRule(FenceRule newRule) {
        return new FirestoreGuardOptions(newRule, listeners, prefix, timeout);
    }

    /**
     * Returns these options with other listeners.
     *
     * @param newListeners called on refusals
     * @return a copy
     */
    public FirestoreGuardOptions withListeners(LockListener... newListeners) {
        return new FirestoreGuardOptions(rule, LockListeners.of(newListeners), prefix, timeout);
    }

    /**
     * Returns these options with another prefix.
     *
     * @param newPrefix prefix of the collection names
     * @return a copy
     */
    public FirestoreGuardOptions withPrefix(String newPrefix) {
        return new FirestoreGuardOptions(rule, listeners, newPrefix, timeout);
    }

    /**
     * Returns these options with another limit.
     *
     * @param newTimeout timeout of an operation
     * @return a copy
     */
    public FirestoreGuardOptions withTimeout(Duration newTimeout) {
        return new FirestoreGuardOptions(rule, listeners, prefix, newTimeout);
    }
}
