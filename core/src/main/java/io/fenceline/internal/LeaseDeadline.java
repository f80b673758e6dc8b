package io.fenceline.internal;

import io.fenceline.LockOptions;
import java.time.Duration;

/**
 * The local deadline of a lease, on both clocks; the earlier one counts.
 *
 * <p>It is counted from the moment <em>before</em> the request was sent, because the backend granted the lease at some
 * unknown moment after that. The margin is taken off, because clocks run at different speeds and stopping takes time.
 */
record LeaseDeadline(long endNanos, long endWallMillis) {

    /** Less is drift, and no step of the wall clock or sleep. */
    static final long JUMP_NANOS = 100_000_000;

    /** The wall clock is read in milliseconds, twice. A step must not come before its time, or it would be repeated until then. */
    private static final long ROUNDING_NANOS = 2_000_000;

    static LeaseDeadline countedFrom(Moment asked, Duration ttl, Duration margin) {
        long counted = ttl.toNanos() - margin.toNanos();
        return new LeaseDeadline(asked.nanos() + counted, asked.wallMillis() + counted / 1_000_000);
    }

    /** The deadline of a grant to an acquisition with these options. */
    static LeaseDeadline of(Moment asked, LockOptions options) {
        return countedFrom(asked, options.ttl(), options.marginOf(options.ttl()));
    }

    /** The time left at a moment; zero or less if the deadline has passed. */
    long remainingNanos(Moment now) {
        long byTicker = endNanos - now.nanos();
        long byWall = (endWallMillis - now.wallMillis()) * 1_000_000;
        return Math.min(byTicker, byWall);
    }

    /** Returns how far the wall clock has run ahead of the ticker since this deadline was set, as in a sleep of the machine; zero for mere drift. */
    long wallAheadNanos(Moment now) {
        long ahead = endNanos - now.nanos() - remainingNanos(now);
        return ahead > JUMP_NANOS ? ahead - ROUNDING_NANOS : 0;
    }

    /** Returns the one of two deadlines that leaves more time at a moment, as a whole: its clocks belong together. */
    LeaseDeadline orLater(LeaseDeadline other, Moment now) {
        return other.remainingNanos(now) > remainingNanos(now) ? other : this;
    }
}
