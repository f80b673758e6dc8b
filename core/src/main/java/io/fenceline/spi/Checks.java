package io.fenceline.spi;

import static java.util.Objects.requireNonNull;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.time.Duration;

/** Argument checks that all backends share, for consistent errors. */
public final class Checks {

    private Checks() {}

    /**
     * Checks the limit of a list.
     *
     * @param limit the limit
     * @throws IllegalArgumentException if it is below 1
     */
    public static void limit(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ", at least 1 is needed");
        }
    }

    /**
     * Checks the rest of {@link LockBackend#releaseAfter}.
     *
     * @param rest the time for which a lock stays taken
     * @return the rest in milliseconds, rounded up
     * @throws IllegalArgumentException if it is zero, negative, or above {@link LockOptions#MAX_TTL}
     */
    public static long restMillis(Duration rest) {
        requireNonNull(rest, "rest");
        if (rest.isNegative() || rest.isZero() || rest.compareTo(LockOptions.MAX_TTL) > 0) {
            throw new IllegalArgumentException("rest is " + rest + ", it must be above zero and at most "
                    + LockOptions.MAX_TTL.toDays() + " days");
        }
        return AcquireRequest.millisRoundedUp(rest);
    }

    /**
     * Checks that a key has enough tokens left for a request.
     *
     * @param request the request for a lock that is free
     * @param last the greatest token so far
     * @throws BackendException if they would exceed {@link FencingToken#MAX_VALUE}
     */
    public static void tokensLeft(AcquireRequest request, long last) {
        if (last > FencingToken.MAX_VALUE - request.tokens()) {
            throw new BackendException(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "the fencing tokens of lock '" + request.key() + "' are used up: the last was " + last + ", "
                            + request.tokens() + " more were asked for",
                    null);
        }
    }

    /**
     * Returns the error of a forced release without a token left to spend. Without a new token, guards would still accept the old
     * holder.
     *
     * @param key the lock
     * @return the error to throw; nothing was changed
     */
    public static BackendException noTokenLeft(LockKey key) {
        return new BackendException(
                ErrorCode.INTERNAL,
                Effect.NONE,
                "lock '" + key + "' has no token left to spend, so its lease is left to run out",
                null);
    }
}
