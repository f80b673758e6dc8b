package io.fenceline.sharding;

import io.fenceline.LockKey;
import io.fenceline.spi.WaiterNotices;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Posts each notice in the store of its key. */
record ShardedNotices(Function<LockKey, WaiterNotices> stores) implements WaiterNotices {

    @Override
    public void post(LockKey key, Duration nextAttempt, Duration timeout) {
        stores.apply(key).post(key, nextAttempt, timeout);
    }

    @Override
    public Optional<Duration> take(LockKey key, Duration timeout) {
        return stores.apply(key).take(key, timeout);
    }
}
