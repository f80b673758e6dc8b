package io.fenceline.spi;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Base class of decorators: forwards all calls, and abilities, to another backend. */
public abstract class ForwardingLockBackend implements LockBackend {

    private final LockBackend delegate;

    /**
     * Creates a decorator.
     *
     * @param delegate the decorated backend
     */
    protected ForwardingLockBackend(LockBackend delegate) {
        this.delegate = delegate;
    }

    /**
     * Returns the decorated backend.
     *
     * @return the decorated backend
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
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        return delegate.releaseAfter(key, lockId, rest);
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
    public void ping() {
        delegate.ping();
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
