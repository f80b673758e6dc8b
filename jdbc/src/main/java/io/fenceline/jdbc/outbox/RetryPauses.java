package io.fenceline.jdbc.outbox;

import io.fenceline.RetryPolicy;
import java.util.concurrent.ThreadLocalRandom;

/** The pauses between the attempts for one message, told by their number alone: any relay may make the next. */
record RetryPauses(RetryPolicy policy) {

    /** Returns the pause after so many attempts, in milliseconds. */
    long millisAfter(int attempts) {
        long raw = policy.baseDelay().toMillis();
        long longest = policy.maxDelay().toMillis();
        if (policy.backoff() == RetryPolicy.Backoff.EXPONENTIAL) {
            for (int i = 1; i < attempts && raw < longest; i++) {
                raw = Math.min(longest, raw * 2);
            }
        }
        return switch (policy.jitter()) {
            case EQUAL -> raw / 2 + random(raw / 2);
            case FULL -> random(raw);
            case NONE -> raw;
        };
    }

    private static long random(long bound) {
        return ThreadLocalRandom.current().nextLong(bound + 1);
    }
}
