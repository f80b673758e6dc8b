package io.fenceline.spi;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.time.Duration;

/**
 * One attempt to take a lock.
 *
 * @param key the lock to take
 * @param lockId the id that asks: a value that no other acquisition ever uses
 * @param ttl how long the lease runs from the moment of the grant; a backend may round it up to whole milliseconds,
 *     never down
 * @param holder who asks, for people
 * @param tokens how many consecutive tokens to mint, at least 1. The grant carries the first; the next grant of the key is
 *     greater than the last
 * @param maxWait how long the caller will stand in line if the lock is taken. A backend that keeps a queue of waiters
 *     may enter the lock id into it for so long, every other ignores it. Zero means that the caller will not wait
 * @param timeout how long the caller waits for the reply. A backend whose store has not answered by then fails with {@link
 *     io.fenceline.ErrorCode#NETWORK_TIMEOUT} instead of waiting for its own, longer limit. {@link LockOptions#MAX_TTL} means that the
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
     * Creates a request without a timeout of its own.
     *
     * @param key the lock to take
     * @param lockId the id that asks
     * @param ttl how long the lease runs
     * @param holder who asks
     * @param tokens how many consecutive tokens to mint
     * @param maxWait how long the caller will stand in line
     */
    public AcquireRequest(LockKey key, LockId lockId, Duration ttl, Holder holder, int tokens, Duration maxWait) {
        this(key, lockId, ttl, holder, tokens, maxWait, LockOptions.MAX_TTL);
    }

    /**
     * Returns a request for one token by a caller that will not wait.
     *
     * @param key the lock to take
     * @param lockId the id that asks
     * @param ttl how long the lease runs
     * @param holder who asks
     * @return the request
     */
    public static AcquireRequest of(LockKey key, LockId lockId, Duration ttl, Holder holder) {
        return new AcquireRequest(key, lockId, ttl, holder, 1, Duration.ZERO);
    }

    /**
     * Returns the ttl as every backend counts it.
     *
     * @return whole milliseconds, rounded up
     */
    public long ttlMillis() {
        return millisRoundedUp(ttl);
    }

    /**
     * Rounds a ttl up to whole milliseconds, as a backend may.
     *
     * @param ttl a duration
     * @return milliseconds that are not shorter than it
     */
    public static long millisRoundedUp(Duration ttl) {
        long millis = ttl.toMillis();
        return ttl.toNanosPart() % 1_000_000 == 0 ? millis : millis + 1;
    }
}
