package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.spi.AcquireRequest;
import java.time.Duration;

/** A pending acquisition: key, lock id, options and the end of its wait. Retries reuse the lock id. */
record PendingAcquire(LockKey key, LockId lockId, LockOptions options, long waitEndNanos) {

    private static final long SLACK_NANOS = LockOptions.WAIT_SLACK.toNanos();

    PendingAcquire underNewId() {
        return under(LockId.random());
    }

    PendingAcquire under(LockId other) {
        return new PendingAcquire(key, other, options, waitEndNanos);
    }

    /** The time by which the call returns, whatever the store does. */
    long limitNanos() {
        return waitEndNanos + SLACK_NANOS;
    }

    /** The failure of an attempt whose grant has no time left. The attempt is undone. */
    BackendException tooLate() {
        String message = "the store granted lock '" + key + "' so late that little or nothing was left of its ttl of "
                + options.ttl().toMillis() + " ms";
        return new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, message, null);
    }

    /** The failure of an attempt after another one that was not answered, or too late: whatever it says of itself, the lock may be taken. */
    static BackendException ofUnknownEffect(BackendException failure) {
        String known = " [" + failure.code() + ", effect " + Effect.NONE + "]";
        return failure.effect() == Effect.UNKNOWN
                ? failure
                : new BackendException(
                        failure.code(),
                        Effect.UNKNOWN,
                        "an earlier attempt was not answered in time, and then: "
                                + String.valueOf(failure.getMessage()).replace(known, ""),
                        failure);
    }

    /**
     * Returns the request of an attempt. Its timeout is the rest of the wait, or the slack if that is longer. It never exceeds {@link
     * #limitNanos()}.
     *
     * @param tokens the most tokens to ask for
     */
    AcquireRequest request(Moment asked, int tokens) {
        long left = waitEndNanos - asked.nanos();
        Duration maxWait = left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
        Duration timeout = left >= SLACK_NANOS ? maxWait : slack(left);
        return new AcquireRequest(key, lockId, options.ttl(), options.holder(), tokens, maxWait, timeout);
    }

    private static Duration slack(long left) {
        return left >= 0 ? LockOptions.WAIT_SLACK : Duration.ofNanos(Math.max(1, left + SLACK_NANOS));
    }
}
