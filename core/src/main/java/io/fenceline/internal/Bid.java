package io.fenceline.internal;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.spi.AcquireRequest;
import java.time.Duration;

/** What one acquisition asks for, each time under the same lock id, up to the end of its wait. */
record Bid(LockKey key, LockId lockId, LockOptions options, long giveUpAt) {

    Bid underNewId() {
        return new Bid(key, LockId.random(), options, giveUpAt);
    }

    AcquireRequest request(Moment asked) {
        long left = giveUpAt - asked.nanos();
        Duration patience = left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
        return new AcquireRequest(key, lockId, options.ttl(), options.holder(), 1, patience);
    }
}
