package io.fenceline.engine;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.Succession;
import io.fenceline.testkit.BackendOperation;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * A backend during whose operations something else happens: time passes, a thread is interrupted, another process acts. Each
 * happening is written for one operation. It happens in the thread that called, after the request left and before the reply
 * arrives; whether the store has acted by then is what {@link #before} and {@link #after} tell apart.
 */
final class EventfulBackend implements LockBackend {

    private final LockBackend delegate;
    private final boolean abilities;
    private final Map<BackendOperation, Queue<Runnable>> before = new EnumMap<>(BackendOperation.class);
    private final Map<BackendOperation, Queue<Runnable>> after = new EnumMap<>(BackendOperation.class);
    private final Map<BackendOperation, Queue<Runnable>> onFailure = new EnumMap<>(BackendOperation.class);
    private final List<AcquireRequest> requests = new CopyOnWriteArrayList<>();

    EventfulBackend(LockBackend delegate, boolean abilities) {
        this.delegate = delegate;
        this.abilities = abilities;
        for (BackendOperation operation : BackendOperation.values()) {
            before.put(operation, new ConcurrentLinkedQueue<>());
            after.put(operation, new ConcurrentLinkedQueue<>());
            onFailure.put(operation, new ConcurrentLinkedQueue<>());
        }
    }

    /** Has something happen before the store acts, once. */
    EventfulBackend before(BackendOperation operation, Runnable event) {
        before.get(operation).add(event);
        return this;
    }

    /** Has something happen after the store has acted, once. Not if the operation failed. */
    EventfulBackend after(BackendOperation operation, Runnable event) {
        after.get(operation).add(event);
        return this;
    }

    /** Has something happen when the operation has failed and the caller does not know it yet, once. */
    EventfulBackend onFailure(BackendOperation operation, Runnable event) {
        onFailure.get(operation).add(event);
        return this;
    }

    /** What was asked for so far. */
    List<AcquireRequest> requests() {
        return requests;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        requests.add(request);
        return between(BackendOperation.ACQUIRE, () -> delegate.acquire(request));
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return between(BackendOperation.EXTEND, () -> delegate.extend(key, lockId, ttl));
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return between(BackendOperation.RELEASE, () -> delegate.release(key, lockId));
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        return between(BackendOperation.RELEASE_AFTER, () -> delegate.releaseAfter(key, lockId, rest));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return delegate.lookup(key);
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return delegate.lookup(lockId);
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        if (!abilities) {
            return Optional.empty();
        }
        Optional<T> ability = delegate.ability(type);
        return type == Succession.class
                ? ability.map(succession -> type.cast(eventful((Succession) succession)))
                : ability;
    }

    private Succession eventful(Succession succession) {
        return (last, next, yielding) -> {
            requests.add(next);
            return between(BackendOperation.SUCCEED, () -> succession.succeed(last, next, yielding));
        };
    }

    @Override
    public void close() {
        delegate.close();
    }

    private <T> T between(BackendOperation operation, Supplier<T> action) {
        happen(before.get(operation).poll());
        T reply;
        try {
            reply = action.get();
        } catch (RuntimeException e) {
            happen(onFailure.get(operation).poll());
            throw e;
        }
        happen(after.get(operation).poll());
        return reply;
    }

    private static void happen(Runnable event) {
        if (event != null) {
            event.run();
        }
    }
}
