package io.fenceline.spi;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A backend that passes everything on to another, abilities included: for decorators that change one thing. */
public abstract class ForwardingLockBackend implements LockBackend {

    private final LockBackend delegate;

    /**
     * Creates a decorator.
     *
     * @param delegate what everything is passed on to
     */
    protected ForwardingLockBackend(LockBackend delegate) {
        this.delegate = delegate;
    }

    /**
     * Returns the decorated backend.
     *
     * @return what everything is passed on to
     */
    protected final LockBackend delegate() {
        return delegate;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return delegate.acquire(request);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return delegate.extend(key, lockId, ttl);
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return delegate.release(key, lockId);
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
    public boolean isLocked(LockKey key) {
        return delegate.isLocked(key);
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return delegate.ability(type);
    }

    @Override
    public void close() {
        delegate.close();
    }
}
