package io.fenceline.engine;

import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A store that queues the waiters of its one key and hands the lock on to the first, as a script in a server can. When a waiter
 * is told of it is left to the test.
 */
final class HandingOverBackend implements LockBackend, ReleaseSignals {

    private final MemoryLockBackend store;
    private final Queue<AcquireRequest> queue = new ArrayDeque<>();
    private final Map<LockId, Consumer<Signal>> listeners = new ConcurrentHashMap<>();

    HandingOverBackend(MemoryLockBackend store) {
        this.store = store;
    }

    /** Ends a lease and grants the lock to the first in the queue, in one step. */
    synchronized Grant handOver(Grant from) {
        store.release(from.key(), from.lockId());
        return ((Acquisition.Granted) store.acquire(queue.remove())).grant();
    }

    /** Tells a waiter that the lock was handed to it; answers false if nobody listens for it any more. */
    boolean tell(Grant grant) {
        return tell(grant.lockId(), new Signal.HandedOver(grant));
    }

    /** Tells all waiters that the lock may be free. */
    void tellReleased() {
        listeners.keySet().forEach(waiter -> tell(waiter, new Signal.Released()));
    }

    int listeners() {
        return listeners.size();
    }

    synchronized int waiting() {
        return queue.size();
    }

    private boolean tell(LockId waiter, Signal signal) {
        Consumer<Signal> listener = listeners.get(waiter);
        if (listener != null) {
            listener.accept(signal);
        }
        return listener != null;
    }

    @Override
    public synchronized Acquisition acquire(AcquireRequest request) {
        queue.removeIf(waiting -> waiting.lockId().equals(request.lockId()));
        Acquisition outcome = store.acquire(request);
        if (outcome instanceof Acquisition.Contended contended
                && !request.maxWait().isZero()) {
            queue.add(request);
            return new Acquisition.Contended(contended.remaining(), contended.holder(), true);
        }
        return outcome;
    }

    @Override
    public synchronized boolean release(LockKey key, LockId lockId) {
        queue.removeIf(waiting -> waiting.lockId().equals(lockId));
        return store.release(key, lockId);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return store.extend(key, lockId, ttl);
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        return store.releaseAfter(key, lockId, rest);
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return store.lookup(key);
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return store.lookup(lockId);
    }

    @Override
    public Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener) {
        listeners.put(waiter, listener);
        return () -> listeners.remove(waiter);
    }

    @Override
    public void close() {
        store.close();
    }
}
