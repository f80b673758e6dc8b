package io.fenceline.spi;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;

/** Checks that every backend makes, so that the same mistake gets the same answer on all stores. */
public final class Checks {

    private Checks() {}

    /**
     * Checks how many entries a list may have.
     *
     * @param limit as the caller gave it
     * @throws IllegalArgumentException if it is below 1
     */
    public static void limit(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ", at least 1 is needed");
        }
    }

    /**
     * Checks that a key has as many tokens left as a request wants.
     *
     * @param request the request for a lock that is free
     * @param last the greatest token that was spent
     * @throws BackendException if they would be above {@link FencingToken#MAX_VALUE}
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
     * Returns the error of a forced release that finds no token to spend. Without one, a write of the old holder under its own
     * token would still be admitted.
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
