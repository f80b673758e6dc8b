package io.fenceline.redis;

import static java.util.Objects.requireNonNull;

import io.fenceline.Redaction;
import io.fenceline.spi.TokenMode;
import java.time.Duration;

/**
 * Options of a {@link RedisLockBackend}. Clients that share locks need the same token mode, key prefix and layout.
 *
 * @param tokenMode how tokens are generated; a counter is safe only on a server that never loses or evicts acknowledged data
 * @param keyPrefix prefix of all Redis keys and channels, except those of another {@code layout}
 * @param layout how locks are stored. SyncGuard's layout has counter tokens, no acknowledgement by replicas, and no wait queue
 * @param commandTimeout timeout of an operation
 * @param counterRetention how long an idle lock's record is kept with {@link TokenMode#CLOCK_FLOOR}; the server's clock must
 *     not be set back by more
 * @param waiterTimeout how long a waiter keeps its place in the queue without polling. Must be longer than {@link
 *     io.fenceline.RetryPolicy#maxDelay()}, the poll interval, or waiters lose their places
 * @param acknowledgement how many replicas must acknowledge a grant
 * @param redaction hides keys and lock ids in {@link io.fenceline.LockRecord}s
 */
public record RedisOptions(
        TokenMode tokenMode,
        String keyPrefix,
        KeyLayout layout,
        Duration commandTimeout,
        Duration counterRetention,
        Duration waiterTimeout,
        Acknowledgement acknowledgement,
        Redaction redaction) {

    private static final String PREFIXES = "[A-Za-z0-9_.:/-]{1,64}";

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a duration is not at least a millisecond, the prefix is not 1 to 64 letters, digits
     *     and {@code _.:/-}, or the layout does not support the other options
     */
    public RedisOptions {
        requireNonNull(tokenMode, "tokenMode");
        requireNonNull(keyPrefix, "keyPrefix");
        requireNonNull(layout, "layout");
        requireNonNull(acknowledgement, "acknowledgement");
        requireNonNull(redaction, "redaction");
        if (!keyPrefix.matches(PREFIXES)) {
            throw new IllegalArgumentException(
                    "keyPrefix is '" + keyPrefix + "', 1 to 64 letters, digits and characters of _.:/- are allowed");
        }
        requireMillis("commandTimeout", commandTimeout);
        requireMillis("counterRetention", counterRetention);
        requireMillis("waiterTimeout", waiterTimeout);
        if (layout instanceof KeyLayout.SyncGuard shared) {
            requireSharable(shared, tokenMode, keyPrefix, acknowledgement);
        }
    }

    private static void requireSharable(
            KeyLayout.SyncGuard layout, TokenMode tokenMode, String keyPrefix, Acknowledgement acknowledgement) {
        if (tokenMode != TokenMode.COUNTER) {
            throw new IllegalArgumentException(
                    "tokenMode is " + tokenMode + ", but SyncGuard's layout counts tokens: COUNTER is needed");
        }
        if (acknowledgement.replicas() > 0) {
            throw new IllegalArgumentException("acknowledgement is of " + acknowledgement.replicas()
                    + " replicas, but SyncGuard's processes wait for none: leave it out in SyncGuard's layout");
        }
        String shared = layout.prefix() + ":";
        String own = keyPrefix + ":";
        if (!layout.prefix().isEmpty() && (shared.startsWith(own) || own.startsWith(shared))) {
            throw new IllegalArgumentException("keyPrefix is '" + keyPrefix + "' and SyncGuard's prefix is '"
                    + layout.prefix() + "': the names below one would be names of the other; choose another keyPrefix");
        }
    }

    /**
     * Returns clock floor tokens, the prefix {@code fenceline}, our own layout, 2 seconds for a command, an hour for idle records, 3 seconds
     * for waiters, no acknowledgement, and hashes that can be compared within one backend's life.
     *
     * @return the options of {@link RedisBackendProvider}
     */
    public static RedisOptions defaults() {
        return new RedisOptions(
                TokenMode.CLOCK_FLOOR,
                "fenceline",
                KeyLayout.fenceline(),
                Duration.ofSeconds(2),
                Duration.ofHours(1),
                Duration.ofSeconds(3),
                Acknowledgement.none(),
                Redaction.withRandomSecret());
    }

    /**
     * Returns these options with another token mode.
     *
     * @param mode how tokens are generated
     * @return a copy
     */
    public RedisOptions withTokenMode(TokenMode mode) {
        return new RedisOptions(
                mode, keyPrefix, layout, commandTimeout, counterRetention, waiterTimeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with another prefix. Locks and fences of two prefixes know nothing of one another: all who share locks, or
     * write what guards protect, have the same, the command too ({@code redis://HOST?keyPrefix=PREFIX}).
     *
     * @param prefix prefix of all Redis keys and channels
     * @return a copy
     */
    public RedisOptions withKeyPrefix(String prefix) {
        return new RedisOptions(
                tokenMode, prefix, layout, commandTimeout, counterRetention, waiterTimeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with another layout. SyncGuard's sets the token mode to {@code COUNTER}. Going back is refused, since
     * the earlier token mode is no longer known.
     *
     * @param kept how locks are stored
     * @return a copy
     * @throws IllegalArgumentException if the layout does not support the other options, or these options have SyncGuard's layout
     */
    public RedisOptions withLayout(KeyLayout kept) {
        if (layout instanceof KeyLayout.SyncGuard && kept instanceof KeyLayout.Fenceline) {
            throw new IllegalArgumentException("layout is SyncGuard's, and with it tokenMode became COUNTER:"
                    + " start from RedisOptions.defaults() for Fenceline's layout");
        }
        return new RedisOptions(
                kept instanceof KeyLayout.SyncGuard ? TokenMode.COUNTER : tokenMode,
                keyPrefix,
                kept,
                commandTimeout,
                counterRetention,
                waiterTimeout,
                acknowledgement,
                redaction);
    }

    /**
     * Returns these options with another limit.
     *
     * @param timeout timeout of an operation
     * @return a copy
     */
    public RedisOptions withCommandTimeout(Duration timeout) {
        return new RedisOptions(
                tokenMode, keyPrefix, layout, timeout, counterRetention, waiterTimeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with another retention.
     *
     * @param retention how long an idle lock's record is kept
     * @return a copy
     */
    public RedisOptions withCounterRetention(Duration retention) {
        return new RedisOptions(
                tokenMode, keyPrefix, layout, commandTimeout, retention, waiterTimeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with another limit for waiters.
     *
     * @param timeout how long a waiter keeps its place in the queue without polling
     * @return a copy
     */
    public RedisOptions withWaiterTimeout(Duration timeout) {
        return new RedisOptions(
                tokenMode, keyPrefix, layout, commandTimeout, counterRetention, timeout, acknowledgement, redaction);
    }

    /**
     * Returns these options with an acknowledgement.
     *
     * @param replicas how many replicas must acknowledge a grant
     * @return a copy
     */
    public RedisOptions withAcknowledgement(Acknowledgement replicas) {
        return new RedisOptions(
                tokenMode, keyPrefix, layout, commandTimeout, counterRetention, waiterTimeout, replicas, redaction);
    }

    /**
     * Returns these options with other hashes.
     *
     * @param hashes hides keys and lock ids
     * @return a copy
     */
    public RedisOptions withRedaction(Redaction hashes) {
        return new RedisOptions(
                tokenMode, keyPrefix, layout, commandTimeout, counterRetention, waiterTimeout, acknowledgement, hashes);
    }

    private static void requireMillis(String name, Duration value) {
        requireNonNull(value, name);
        if (value.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException(name + " is " + value + ", at least a millisecond is needed");
        }
    }
}
