package io.fenceline.redis.link;

import io.fenceline.LockOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time, by {@link System#nanoTime}, until which a caller waits for a reply. The command timeout also limits each step of a call.
 */
public record ReplyDeadline(long nanos) {

    /** A deadline after any command timeout. */
    public static ReplyDeadline none() {
        return after(LockOptions.MAX_TTL);
    }

    public static ReplyDeadline after(Duration timeout) {
        return new ReplyDeadline(System.nanoTime()
                + (timeout.compareTo(LockOptions.MAX_TTL) < 0 ? timeout : LockOptions.MAX_TTL).toNanos());
    }

    /** Returns the time left for one step of a call, limited to {@code atMostMillis}. */
    public long nanosLeft(long atMostMillis) {
        return Math.max(0, Math.min(nanos - System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(atMostMillis)));
    }
}
