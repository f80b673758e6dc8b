package io.fenceline.sharding;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.Acquisition;

/**
 * Translates tokens between a store and its callers. A key that moves to another store meets another counter there, so tokens of
 * counters begin with the number of the generation: each set of stores has a greater one than the sets before it. Tokens of a clock
 * floor grow on any store and stay as they are.
 *
 * @param number 0 to {@link #MAX}; 0 has the tokens of stores that are used alone
 */
record Generation(int number) {

    /** The generation after it would reach the value at which tokens come with a warning. */
    static final int MAX = 89;

    /** What a counter can count in one generation. */
    private static final long SIZE = 1_000_000_000_000L;

    /** The clock floor of 2010. No store's clock is so wrong. */
    private static final long LEAST_CLOCK_FLOOR = 50_000_000_000_000L;

    Generation {
        if (number < 0 || number > MAX) {
            throw new IllegalArgumentException("generation is " + number + ", it must be from 0 to " + MAX);
        }
    }

    /** Returns whether a token of a store comes from a counter. */
    static boolean isCounted(FencingToken stored) {
        return stored.value() < LEAST_CLOCK_FLOOR;
    }

    FencingToken shown(LockKey key, FencingToken stored) {
        if (!isCounted(stored)) {
            return stored;
        }
        if (stored.value() >= SIZE) {
            throw new BackendException(
                    ErrorCode.MISCONFIGURED,
                    Effect.UNKNOWN,
                    "the counter of lock '" + key + "' is at " + stored
                            + " on its store, beyond what a generation can count, so it was raised while the store was used alone;"
                            + " use it alone, or others in its place",
                    null);
        }
        return new FencingToken(number * SIZE + stored.value());
    }

    /**
     * Returns the value of a store's counter for a token, at least 1.
     *
     * @param counted whether the store counts, and has no clock floor
     * @throws IllegalArgumentException if the token is one of a later generation
     */
    FencingToken stored(FencingToken shown, boolean counted) {
        long value = shown.value() - number * SIZE;
        if (counted && value >= SIZE) {
            throw new IllegalArgumentException("token " + shown + " is beyond generation " + number
                    + " of these stores; open them with generation " + shown.value() / SIZE);
        }
        return counted ? new FencingToken(Math.max(1, value)) : shown;
    }

    Grant shown(Grant stored) {
        shown(stored.key(), stored.lastToken()); // a block must not reach into the next generation
        return new Grant(
                stored.key(),
                stored.lockId(),
                stored.holder(),
                shown(stored.key(), stored.token()),
                stored.tokens(),
                stored.acquiredAt(),
                stored.expiresAt());
    }

    LockRecord shown(LockRecord stored) {
        return stored.withGrant(shown(stored.raw()));
    }

    Acquisition shown(Acquisition stored) {
        return stored instanceof Acquisition.Granted granted ? new Acquisition.Granted(shown(granted.grant())) : stored;
    }
}
