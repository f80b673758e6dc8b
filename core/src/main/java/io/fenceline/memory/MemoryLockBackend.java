package io.fenceline.memory;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.Succession;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A backend in the memory of this process: for tests, simulations, and locks among the threads of one process.
 *
 * <p>It is as strict as the backends of real servers and passes the same contract. Several backends on one {@link
 * MemoryStore} simulate several processes with one server. Every operation is atomic, and blocks only during
 * other operations on the same key.
 */
public final class MemoryLockBackend implements LockBackend, Succession, LockCatalog, ReleaseSignals {

    private final MemoryStore store;
    private volatile boolean closed;

    /** Creates a backend on a store of its own. */
    public MemoryLockBackend() {
        this(MemoryStore.create());
    }

    /**
     * Creates a backend on a store that others may share.
     *
     * @param store the store
     */
    public MemoryLockBackend(MemoryStore store) {
        this.store = store;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        ensureOpen();
        return store.acquire(request);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        long ttlMillis = AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl));
        ensureOpen();
        return store.extend(key, lockId, ttlMillis);
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        ensureOpen();
        return store.release(key, lockId);
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        long restMillis = Checks.restMillis(rest);
        ensureOpen();
        return store.releaseAfter(key, lockId, restMillis);
    }

    @Override
    public Turnover succeed(LockId last, AcquireRequest next, boolean yielding) {
        ensureOpen();
        return store.succeed(last, next, yielding);
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        ensureOpen();
        return store.lookup(key);
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        ensureOpen();
        return store.lookup(lockId);
    }

    @Override
    public boolean isLocked(LockKey key) {
        ensureOpen();
        return store.isLocked(key);
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        ensureOpen();
        return store.list(prefix, limit);
    }

    @Override
    public List<KeyToken> tokens(String prefix, String after, int limit) {
        Checks.limit(limit);
        ensureOpen();
        return store.tokens(prefix, after, limit);
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        ensureOpen();
        return store.lastToken(key);
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        ensureOpen();
        return store.raiseToken(key, atLeast);
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        ensureOpen();
        return store.forceRelease(key);
    }

    @Override
    public Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener) {
        ensureOpen();
        boolean hadListeners = store.listeners().anyFor(key);
        Subscription subscription = store.listeners().add(this, key, listener);
        if (!hadListeners && store.mayHaveEnded(key)) {
            // The lease may have ended between the refusal and the subscription. If others listened, the release was
            // signalled to them.
            listener.accept(new Signal.Released());
        }
        return subscription;
    }

    @Override
    public void close() {
        closed = true;
        store.listeners().removeAllOf(this);
    }

    private void ensureOpen() {
        if (closed) {
            throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "this backend was closed", null);
        }
    }
}
