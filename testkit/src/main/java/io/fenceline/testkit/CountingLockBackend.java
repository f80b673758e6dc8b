package io.fenceline.testkit;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.Succession;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** A backend that counts how often it is asked. Of its abilities only {@link Succession} is counted. */
public final class CountingLockBackend implements LockBackend {

    private final LockBackend delegate;
    private final ConcurrentMap<BackendOperation, LongAdder> counts = new ConcurrentHashMap<>();

    private CountingLockBackend(LockBackend delegate) {
        this.delegate = delegate;
    }

    /**
     * Counts what a backend is asked.
     *
     * @param delegate the backend, closed with this one
     * @return the decorated backend
     */
    public static CountingLockBackend over(LockBackend delegate) {
        return new CountingLockBackend(delegate);
    }

    /**
     * Returns how often an operation was asked for, whatever came of it.
     *
     * @param operation the kind; {@link BackendOperation#SIGNAL} is not counted
     * @return the number of calls
     */
    public long count(BackendOperation operation) {
        LongAdder counter = counts.get(operation);
        return counter == null ? 0 : counter.sum();
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        increment(BackendOperation.ACQUIRE);
        return delegate.acquire(request);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        increment(BackendOperation.EXTEND);
        return delegate.extend(key, lockId, ttl);
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        increment(BackendOperation.RELEASE);
        return delegate.release(key, lockId);
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        increment(BackendOperation.RELEASE_AFTER);
        return delegate.releaseAfter(key, lockId, rest);
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        increment(BackendOperation.LOOKUP);
        return delegate.lookup(key);
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        increment(BackendOperation.LOOKUP);
        return delegate.lookup(lockId);
    }

    @Override
    public boolean isLocked(LockKey key) {
        increment(BackendOperation.LOOKUP);
        return delegate.isLocked(key);
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        Optional<T> ability = delegate.ability(type);
        if (type == BulkExtension.class) {
            return ability.map(bulk -> type.cast(counted((BulkExtension) bulk)));
        }
        return type == Succession.class
                ? ability.map(succession -> type.cast(counted((Succession) succession)))
                : ability;
    }

    /** One request, however many leases it extends. */
    private BulkExtension counted(BulkExtension bulk) {
        return extensions -> {
            increment(BackendOperation.EXTEND);
            return bulk.extendAll(extensions);
        };
    }

    private Succession counted(Succession succession) {
        return (last, next, yielding) -> {
            increment(BackendOperation.SUCCEED);
            return succession.succeed(last, next, yielding);
        };
    }

    @Override
    public void close() {
        delegate.close();
    }

    private void increment(BackendOperation operation) {
        counts.computeIfAbsent(operation, first -> new LongAdder()).increment();
    }
}
