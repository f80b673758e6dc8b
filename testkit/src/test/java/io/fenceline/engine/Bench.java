package io.fenceline.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LocksBuilder;
import io.fenceline.RetryPolicy;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.TokenMode;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.CountingLockBackend;
import io.fenceline.testkit.FaultScript;
import io.fenceline.testkit.FaultyLockBackend;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The engine on manual time, in front of a sound store that others use too: what it is asked is counted, and what goes wrong
 * on the way is scripted. Nothing is left to chance: without jitter unless a test asks for it, and then with 0.5 as chance.
 */
final class Bench {

    static final String NAME = "invoice:42";
    static final LockKey KEY = LockKey.of(NAME);
    static final Duration TTL = Duration.ofSeconds(30);

    /** The default margin of {@link #TTL}. */
    static final Duration MARGIN = Duration.ofMillis(1500);

    static final LockOptions OPTIONS = LockOptions.defaults()
            .withTtl(TTL)
            .withMaxWait(Duration.ofSeconds(5))
            .withRetry(RetryPolicy.defaults().withJitter(RetryPolicy.Jitter.NONE))
            .withHolder(Holder.of("us"));

    final ManualTime time = new ManualTime();
    final FaultScript faults = new FaultScript();
    final EventfulBackend events;
    final CountingLockBackend backend;

    /** Another process on the same store, whose network is sound. */
    final MemoryLockBackend stranger;

    final List<LockEvent> begun = new CopyOnWriteArrayList<>();
    final List<LockEvent> heard = new CopyOnWriteArrayList<>();
    final Locks locks;

    private Bench(boolean signals) {
        MemoryStore store = new MemoryStore(TokenMode.COUNTER, time, time);
        stranger = new MemoryLockBackend(store);
        events = new EventfulBackend(
                FaultyLockBackend.over(new MemoryLockBackend(store), faults, time.source()), signals);
        backend = CountingLockBackend.over(events);
        locks = builder().withoutThread().build();
    }

    /** A bench whose store sends no signals, so that waiters poll. */
    static Bench polling() {
        return new Bench(false);
    }

    /** A bench whose store signals releases. */
    static Bench signalling() {
        return new Bench(true);
    }

    /** Further locks on the same backend, as if in another process. */
    LocksBuilder builder() {
        return Locks.builder(backend)
                .time(time.source())
                .random(() -> 0.5)
                .defaults(OPTIONS)
                .listener(this::hear);
    }

    /** Beginnings are kept apart: each test that looks at the end would have to name them. */
    private void hear(LockEvent event) {
        (event instanceof LockEvent.AcquireBegun ? begun : heard).add(event);
    }

    Lease acquire() {
        return acquire(OPTIONS);
    }

    /** Acquires a lock that is free. */
    Lease acquire(LockOptions options) {
        return locks.tryAcquire(NAME, options).orElseThrow();
    }

    long asked(BackendOperation operation) {
        return backend.count(operation);
    }

    /** How often the backend was asked for anything. */
    long askedAtAll() {
        long sum = 0;
        for (BackendOperation operation : BackendOperation.values()) {
            sum += backend.count(operation);
        }
        return sum;
    }

    /** Lets time pass and the engine do what is due by then. */
    void pass(Duration duration) {
        time.advance(duration);
        locks.runDueSteps();
    }

    /** The other process takes the lock. */
    Grant takenByStranger(Duration ttl) {
        Acquisition outcome = stranger.acquire(AcquireRequest.of(KEY, LockId.random(), ttl, Holder.of("a stranger")));
        assertThat(outcome).isInstanceOf(Acquisition.Granted.class);
        return ((Acquisition.Granted) outcome).grant();
    }

    void releasedByStranger(Grant grant) {
        assertThat(stranger.release(KEY, grant.lockId())).isTrue();
    }

    boolean isFree() {
        return !stranger.isLocked(KEY);
    }

    /** How long the store will keep the lock taken, without asking the backend that counts. */
    Duration remainingInStore() {
        return stranger.lookup(KEY).orElseThrow().remaining();
    }

    /** How long the next waiter is going to wait. */
    Duration nextWake() {
        return time.untilNextWake().orElseThrow();
    }
}
