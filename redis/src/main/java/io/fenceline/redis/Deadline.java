package io.fenceline.redis;

import io.fenceline.LockOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The moment until which a caller waits for a reply. The command timeout also limits each step of a call.
 *
 * @param nanos the moment, as {@link System#nanoTime} counts
 */
record Deadline(long nanos) {

    /** Returns a deadline later than any command timeout. */
    static Deadline none() {
        return after(LockOptions.MAX_TTL);
    }

    static Deadline after(Duration timeout) {
        return new Deadline(System.nanoTime()
                + (timeout.compareTo(LockOptions.MAX_TTL) < 0 ? timeout : LockOptions.MAX_TTL).toNanos());
    }

    /** Returns how long one step of the call may take: what is left, at most so many milliseconds. */
    long nanosLeft(long atMostMillis) {
        return Math.max(0, Math.min(nanos - System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(atMostMillis)));
    }
}
