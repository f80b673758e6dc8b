package io.fenceline.integration;

import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** The registry on manual time, on whichever Spring Integration is there. */
abstract class LockRegistryCase {

    static final String KEY = "group:7";
    static final Duration TTL = Duration.ofSeconds(30);

    final ManualTime time = new ManualTime();
    final MemoryStore data = new MemoryStore(TokenMode.COUNTER, time, time);
    final MemoryLockBackend store = new MemoryLockBackend(data);
    final FaultScript faults = new FaultScript();
    final Locks locks = locks();

    Locks locks() {
        return Locks.builder(FaultyLockBackend.over(new MemoryLockBackend(data), faults))
                .time(time.source())
                .withoutThread()
                .build();
    }

    final FencelineLockRegistry registry =
            FencelineLockRegistry.over(locks, LockOptions.defaults().withTtl(TTL));
    final FencelineLockRegistry otherNode = FencelineLockRegistry.over(locks(), LockOptions.defaults());
    final Lock lock = registry.obtain(KEY);

    void pass(Duration duration) {
        time.advance(duration);
        locks.runDueSteps();
    }

    boolean isLocked() {
        return store.isLocked(LockKey.of(KEY));
    }

    Duration remaining() {
        return store.lookup(LockKey.of(KEY)).map(LockRecord::remaining).orElseThrow();
    }
}
