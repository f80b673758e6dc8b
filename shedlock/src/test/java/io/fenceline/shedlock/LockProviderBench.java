package io.fenceline.shedlock;

import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A provider on manual time, in front of a store that others use too. */
class LockProviderBench {

    static final String JOB = "report";
    static final LockKey KEY = LockKey.of(JOB);
    static final Holder HOLDER = Holder.of("node 1");
    static final Duration NONE = Duration.ZERO;
    static final Duration AT_MOST = Duration.ofMinutes(10);

    final ManualTime time = new ManualTime();
    final MemoryLockBackend store = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));
    final FaultScript faults = new FaultScript();
    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    final List<RuntimeException> releaseErrors = new CopyOnWriteArrayList<>();
    Duration slowness = Duration.ZERO;
    final Locks locks = Locks.builder(new ForwardingLockBackend(FaultyLockBackend.over(store, faults)) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Acquisition reply = super.acquire(request);
                    time.advance(slowness);
                    return reply;
                }
            })
            .defaults(LockOptions.defaults().withHolder(HOLDER))
            .time(time.source())
            .withoutThread()
            .listener(events::add)
            .onReleaseError((stamp, error) -> releaseErrors.add(error))
            .build();
    final FencelineLockProvider provider = FencelineLockProvider.over(locks);

    FencelineLockProvider anotherNode() {
        return FencelineLockProvider.over(
                Locks.builder(store).time(time.source()).withoutThread().build());
    }

    void pass(Duration duration) {
        time.advance(duration);
        locks.runDueSteps();
    }

    boolean isLocked() {
        return store.isLocked(KEY);
    }

    Duration remaining() {
        return store.lookup(KEY).map(LockRecord::remaining).orElseThrow();
    }

    static SimpleLock lock(FencelineLockProvider provider, Duration atMost, Duration atLeast) {
        return lock(provider, JOB, atMost, atLeast);
    }

    static SimpleLock lock(FencelineLockProvider provider, String name, Duration atMost, Duration atLeast) {
        return provider.lock(new LockConfiguration(Instant.EPOCH, name, atMost, atLeast))
                .orElseThrow();
    }

    static LockConfiguration configuration(Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.EPOCH, JOB, atMost, atLeast);
    }
}
