package io.fenceline.firestore;

import io.fenceline.time.Ticker;
import java.time.Duration;

/** The time by which an operation must be finished. */
final class CallDeadline {

    private final Ticker ticker;
    private final Duration limit;
    private final long startNanos;

    CallDeadline(Ticker ticker, Duration limit) {
        this.ticker = ticker;
        this.limit = limit;
        this.startNanos = ticker.nanos();
    }

    /** The time left, 0 after the deadline. */
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
