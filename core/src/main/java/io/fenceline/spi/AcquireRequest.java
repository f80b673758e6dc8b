package io.fenceline.spi;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.time.Duration;

/**
 * One attempt to acquire a lock.
 *
 * @param key the lock to take
 * @param lockId the lock id, never used for another acquisition at the store
 * @param ttl how long the lease runs from the moment of the grant; a backend may round it up to whole milliseconds,
 *     never down
 * @param holder the holder, for display
 * @param tokens the most consecutive tokens to mint, at least 1; the backend may mint fewer, but one. The grant carries the
 *     first and their number; the next grant of the key is greater than the last
 * @param maxWait how long the caller waits if the lock is taken. A backend with a wait queue may enqueue the lock id for that
 *     long; others ignore it. Zero means that the caller does not wait
 * @param timeout how long the caller waits for the reply. If the store has not answered by then, the backend fails with {@link
 *     io.fenceline.ErrorCode#NETWORK_TIMEOUT} instead of waiting for its own, longer timeout. {@link LockOptions#MAX_TTL} means that the
 *     backend's limit alone applies
 */
public record AcquireRequest(
        LockKey key, LockId lockId, Duration ttl, Holder holder, int tokens, Duration maxWait, Duration timeout) {

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if the ttl is not above zero and at most {@link LockOptions#MAX_TTL}, tokens is below 1, the
     *     maxWait is negative, or the timeout is not above zero
     */
    public AcquireRequest {
        LockOptions.requireTtl(ttl);
        if (tokens < 1) {
            throw new IllegalArgumentException("tokens is " + tokens + ", at least 1 is needed");
        }
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait is " + maxWait + ", it cannot be negative");
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout is " + timeout + ", it must be above zero");
        }
    }

    /**
     * Creates a request limited by the backend's timeout only.
     *
     * @param key the lock to take
     * @param lockId the lock id
     * @param ttl how long the lease runs
     * @param holder the holder
     * @param tokens the most consecutive tokens to mint
     * @param maxWait how long the caller waits
     */
    public AcquireRequest(LockKey key, LockId lockId, Duration ttl, Holder holder, int tokens, Duration maxWait) {
        this(key, lockId, ttl, holder, tokens, maxWait, LockOptions.MAX_TTL);
    }

    /**
     * Returns a request for one token, by a caller that does not wait.
     *
     * @param key the lock to take
     * @param lockId the lock id
     * @param ttl how long the lease runs
     * @param holder the holder
     * @return the request
     */
    public static AcquireRequest of(LockKey key, LockId lockId, Duration ttl, Holder holder) {
        return new AcquireRequest(key, lockId, ttl, holder, 1, Duration.ZERO);
    }

    /**
     * Returns the ttl in milliseconds.
     *
     * @return whole milliseconds, rounded up
     */
    public long ttlMillis() {
        return millisRoundedUp(ttl);
    }

    /**
     * Rounds a ttl up to whole milliseconds, as backends may.
     *
     * @param ttl a duration
     * @return the milliseconds, at least the duration
     */
    public static long millisRoundedUp(Duration ttl) {
        long millis = ttl.toMillis();
        return ttl.toNanosPart() % 1_000_000 == 0 ? millis : millis + 1;
    }
}
