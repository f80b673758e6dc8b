package io.fenceline.internal;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.spi.AcquireRequest;
import java.time.Duration;

/** A pending acquisition: key, lock id, options and the end of its wait. Its attempts share the lock id. */
record Bid(LockKey key, LockId lockId, LockOptions options, long giveUpAt) {

    private static final long SLACK_NANOS = LockOptions.WAIT_SLACK.toNanos();

    Bid underNewId() {
        return new Bid(key, LockId.random(), options, giveUpAt);
    }

    /** When the caller must have its answer, whatever the store does. */
    long limitNanos() {
        return giveUpAt + SLACK_NANOS;
    }

    /** An attempt is waited for to the end of the wait, or for the slack if less is left; never beyond the limit of both. */
    AcquireRequest request(Moment asked) {
        long left = giveUpAt - asked.nanos();
        Duration patience = left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
        Duration timeout = left >= SLACK_NANOS ? patience : slack(left);
        return new AcquireRequest(key, lockId, options.ttl(), options.holder(), 1, patience, timeout);
    }

    private static Duration slack(long left) {
        return left >= 0 ? LockOptions.WAIT_SLACK : Duration.ofNanos(Math.max(1, left + SLACK_NANOS));
    }
}
