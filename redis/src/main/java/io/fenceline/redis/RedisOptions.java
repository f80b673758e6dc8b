package io.fenceline.redis;

import io.fenceline.spi.TokenMode;
import io.fenceline.telemetry.Redaction;
import java.time.Duration;

/**
 * How a {@link RedisLockBackend} works. All that share locks must have the same token mode and key prefix.
 *
 * @param tokenMode how tokens are found; a counter is safe only on a server that never loses or evicts what it acknowledged
 * @param keyPrefix what the names of all Redis keys and channels start with
 * @param commandTimeout how long an operation waits for the server
 * @param counterRetention how long an idle lock's record is kept with {@link TokenMode#CLOCK_FLOOR}; the server's clock must
 *     not be set back by more
 * @param waiterTimeout how long a waiter keeps its place in line without asking again. Longer than {@link
 *     io.fenceline.RetryPolicy#maxDelay()}, at which the engine asks, else waiters lose their places
 * @param acknowledgement how many replicas must have a grant before it is told
 * @param redaction how keys and lock ids are hidden in {@link io.fenceline.spi.LockRecord}s
 */
public record RedisOptions(
        TokenMode tokenMode,
        String keyPrefix,
        Duration commandTimeout,
        Duration counterRetention,
        Duration waiterTimeout,
        Acknowledgement acknowledgement,
        Redaction redaction) {

    private static final String PREFIXES = "[A-Za-z0-9_.:/-]{1,64}";

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a duration is not at least a millisecond, or the prefix is not 1 to 64 letters,
     *     digits and {@code _.:/-}
     */
    public RedisOptions {
        if (!keyPrefix.matches(PREFIXES)) {
            throw new IllegalArgumentException(
                    "keyPrefix is '" + keyPrefix + "', 1 to 64 letters, digits and characters of _.:/- are allowed");
        }
        requireMillis("commandTimeout", commandTimeout);
        requireMillis("counterRetention", counterRetention);
        requireMillis("waiterTimeout", waiterTimeout);
    }

    /**
     * Returns clock floor tokens, the prefix {@code fenceline}, 2 seconds for a command, an hour for idle records, 3 seconds
     * for waiters, no acknowledgement, and hashes that can be compared within one backend's life.
     *
     * @return the options of {@link RedisBackendProvider}
     */
    public static RedisOptions defaults() {
        return new RedisOptions(
                TokenMode.CLOCK_FLOOR,
                "fenceline",
                Duration.ofSeconds(2),
                Duration.ofHours(1),
                Duration.ofSeconds(3),
                Acknowledgement.none(),
                Redaction.withRandomSecret());
    }

    /**
     * Returns these options with another token mode.
     *
     * @param mode how tokens are found
     * @return a copy
     */
    public RedisOptions withTokenMode(TokenMode mode) {
        return new RedisOptions(
                mode, keyPrefix, commandTimeout, counterRetention, waiterTimeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with another prefix.
     *
     * @param prefix what the names of all Redis keys and channels start with
     * @return a copy
     */
    public RedisOptions withKeyPrefix(String prefix) {
        return new RedisOptions(
                tokenMode, prefix, commandTimeout, counterRetention, waiterTimeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with another limit.
     *
     * @param timeout how long an operation waits for the server
     * @return a copy
     */
    public RedisOptions withCommandTimeout(Duration timeout) {
        return new RedisOptions(
                tokenMode, keyPrefix, timeout, counterRetention, waiterTimeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with another retention.
     *
     * @param retention how long an idle lock's record is kept
     * @return a copy
     */
    public RedisOptions withCounterRetention(Duration retention) {
        return new RedisOptions(
                tokenMode, keyPrefix, commandTimeout, retention, waiterTimeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with another limit for waiters.
     *
     * @param timeout how long a waiter keeps its place in line without asking again
     * @return a copy
     */
    public RedisOptions withWaiterTimeout(Duration timeout) {
        return new RedisOptions(
                tokenMode, keyPrefix, commandTimeout, counterRetention, timeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with an acknowledgement.
     *
     * @param replicas how many replicas must have a grant before it is told
     * @return a copy
     */
    public RedisOptions withAcknowledgement(Acknowledgement replicas) {
        return new RedisOptions(
                tokenMode, keyPrefix, commandTimeout, counterRetention, waiterTimeout, replicas, redaction);
    }

    /**
     * Returns these options with other hashes.
     *
     * @param hashes how keys and lock ids are hidden
     * @return a copy
     */
    public RedisOptions withRedaction(Redaction hashes) {
        return new RedisOptions(
                tokenMode, keyPrefix, commandTimeout, counterRetention, waiterTimeout, acknowledgement, hashes);
    }

    private static void requireMillis(String name, Duration value) {
        if (value.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException(name + " is " + value + ", at least a millisecond is needed");
        }
    }
}
