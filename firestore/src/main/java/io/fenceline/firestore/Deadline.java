package io.fenceline.firestore;

import io.fenceline.time.Ticker;
import java.time.Duration;

/** The moment by which an operation has to be over. */
final class Deadline {

    private final Ticker ticker;
    private final Duration limit;
    private final long startNanos;

    Deadline(Ticker ticker, Duration limit) {
        this.ticker = ticker;
        this.limit = limit;
        this.startNanos = ticker.nanos();
    }

    /** What is left, 0 if it has passed. */
    long remainingNanos() {
        return Math.max(0, limit.toNanos() - (ticker.nanos() - startNanos));
    }

    boolean hasPassed() {
        return remainingNanos() == 0;
    }

    Duration limit() {
        return limit;
    }
}
