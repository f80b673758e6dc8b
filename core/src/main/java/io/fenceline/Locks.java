package io.fenceline;

import io.fenceline.internal.AsyncAcquire;
import io.fenceline.internal.Engine;
import io.fenceline.internal.LockView;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.LockListeners;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Acquires locks on one backend: where a user starts.
 *
 * <pre>{@code
 * try (Locks locks = Locks.open("sqlite:/var/lib/app/locks.db")) {
 *     try (Lease lease = locks.acquire("invoice:42")) {
 *         orders.markPaid(42, lease.stamp());
 *     }
 * }
 * }</pre>
 *
 * <p>Make one for each backend and process, and share it: threads that want the same key through one {@code Locks} stand in
 * line inside the process, first come, first served, and only the first of them asks the backend. Safe for all threads, also
 * virtual ones.
 */
public final class Locks implements AutoCloseable {

    private final Engine engine;
    private final LockOptions defaults;
    private final boolean ownsBackend;

    Locks(Engine engine, LockOptions defaults, boolean ownsBackend) {
        this.engine = engine;
        this.defaults = defaults;
        this.ownsBackend = ownsBackend;
    }

    /**
     * Opens the backend that a URI names, and returns locks on it with {@link LockOptions#defaults()}. {@link #close()} closes
     * the backend too.
     *
     * @param uri for instance {@code sqlite:/var/lib/app/locks.db}; see {@link Backends#open}
     * @return locks that own their backend
     * @throws IllegalArgumentException if no provider knows the scheme, or the URI is malformed
     * @throws BackendException if the store cannot be reached or used
     */
    public static Locks open(String uri) {
        return new LocksBuilder(Backends.open(uri), true).build();
    }

    /**
     * Returns locks on a backend with {@link LockOptions#defaults()}.
     *
     * @param backend the store; whoever opened it closes it, after the locks
     * @return locks on it
     */
    public static Locks over(LockBackend backend) {
        return builder(backend).build();
    }

    /**
     * Returns a builder of locks on a backend, for other defaults, listeners, threads or time.
     *
     * @param backend the store; whoever opened it closes it, after the locks
     * @return a builder
     */
    public static LocksBuilder builder(LockBackend backend) {
        return new LocksBuilder(backend, false);
    }

    /**
     * Acquires a lock with the default options, as {@link #acquire(String, LockOptions)} does.
     *
     * @param key what to lock; see {@link LockKey}
     * @return a held lease
     * @throws LockTimeoutException if the lock was not free within the default wait
     * @throws BackendException if the backend failed for good, or until the wait was over
     * @throws InterruptedException if the thread is interrupted
     */
    public Lease acquire(String key) throws InterruptedException {
        return acquire(key, defaults);
    }

    /**
     * Acquires a lock, waiting for it if need be. A last attempt is made when the wait ends, so a lock that becomes free
     * within the wait is not missed. Transient failures of the backend are retried within the wait.
     *
     * @param key what to lock; see {@link LockKey}
     * @param options how to take and hold it
     * @return a held lease
     * @throws LockTimeoutException if the lock was not free within the wait
     * @throws BackendException if the backend failed for good, or until the wait was over. The attempt was undone as far
     *     as the backend could be reached
     * @throws InterruptedException if the thread is interrupted; the attempt is undone first if the store
     *     answers within half a second, and otherwise in the background
     */
    public Lease acquire(String key, LockOptions options) throws InterruptedException {
        return engine.acquire(LockKey.of(key), options);
    }

    /**
     * Acquires a lock with the default options if it is free, as {@link #tryAcquire(String, LockOptions)} does.
     *
     * @param key what to lock; see {@link LockKey}
     * @return a held lease, or empty if the lock is taken
     * @throws BackendException if the backend failed
     */
    public Optional<Lease> tryAcquire(String key) {
        return tryAcquire(key, defaults);
    }

    /**
     * Acquires a lock if it is free. Asks the backend once and never waits for the lock; asks not at all if a thread of this
     * process has it.
     *
     * @param key what to lock; see {@link LockKey}
     * @param options how to take and hold it; the wait is not used
     * @return a held lease, or empty if the lock is taken
     * @throws BackendException if the backend failed. The attempt was undone as far as the backend could be reached
     */
    public Optional<Lease> tryAcquire(String key, LockOptions options) {
        return engine.tryAcquire(LockKey.of(key), options);
    }

    /**
     * Runs work under a lock with the default options, as {@link #run(String, LockOptions, LockBody)} does.
     *
     * @param key what to lock; see {@link LockKey}
     * @param body the work
     * @param <T> its result
     * @param <X> what it throws
     * @return its result
     * @throws X what the body throws
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <T, X extends Exception> T run(String key, LockBody<T, X> body) throws X, InterruptedException {
        return run(key, defaults, body);
    }

    /**
     * Runs work under a lock.
     *
     * @param key what to lock; see {@link LockKey}
     * @param options how to take and hold it
     * @param body the work
     * @param <T> its result
     * @param <X> what it throws
     * @return its result; the lease was held until the body returned
     * @throws X what the body throws
     * @throws LeaseLostException if the body returned after the lease was lost, or was interrupted because of it
     * @throws LockTimeoutException if the lock was not free within the wait
     * @throws BackendException if the backend failed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <T, X extends Exception> T run(String key, LockOptions options, LockBody<T, X> body)
            throws X, InterruptedException {
        return engine.run(LockKey.of(key), options, body);
    }

    /**
     * Acquires a lock with the default options, as {@link #acquireAsync(String, LockOptions)} does.
     *
     * @param key what to lock; see {@link LockKey}
     * @return a future of the lease
     */
    public CompletableFuture<Lease> acquireAsync(String key) {
        return acquireAsync(key, defaults);
    }

    /**
     * Acquires a lock on another thread.
     *
     * @param key what to lock; see {@link LockKey}
     * @param options how to take and hold it
     * @return a future that completes with the lease, or with what {@link #acquire(String, LockOptions)} would throw. If it
     *     is cancelled or completed by somebody else first, the attempt is ended and a late grant undone
     */
    public CompletableFuture<Lease> acquireAsync(String key, LockOptions options) {
        return AsyncAcquire.start(engine, LockKey.of(key), options);
    }

    /**
     * Returns a view of a lock for code that wants a {@link java.util.concurrent.locks.Lock}.
     *
     * @param key what to lock; see {@link LockKey}
     * @param options how to take and hold it; the wait is not used
     * @return a lock that is not re-entrant; each of its leases belongs to the thread that locked
     */
    public LeasedLock asLock(String key, LockOptions options) {
        return new LockView(engine, LockKey.of(key), options);
    }

    /**
     * Looks who holds a lock. For people and for views: the answer may be different a moment later, and nothing follows from it.
     *
     * @param key which lock; see {@link LockKey}
     * @return the running lease, of whatever process, or empty if the lock is free
     * @throws BackendException if the backend failed
     */
    public Optional<LockRecord> lookup(String key) {
        return engine.backend().lookup(LockKey.of(key));
    }

    /**
     * Returns the time that these locks run by, for code that runs beside them.
     *
     * @return clocks and waits
     */
    public TimeSource time() {
        return engine.time();
    }

    /**
     * Returns who is told of what happens, for code beside these locks that has events of its own.
     *
     * @return the listeners that were given to the builder
     */
    public LockListeners listeners() {
        return engine.telemetry();
    }

    /**
     * Runs every step of renewal and loss that is due, and undoes attempts that were given up. Only for locks built with {@link
     * LocksBuilder#withoutThread()}.
     *
     * @return the time until the next step is due; {@link Locks#NOTHING_DUE} if no lease is held and nothing is left to undo
     */
    public Duration runDueSteps() {
        return engine.runDueSteps();
    }

    /** What {@link #runDueSteps()} answers when no lease is held and nothing is left to undo. */
    public static final Duration NOTHING_DUE = Duration.ofNanos(Long.MAX_VALUE);

    /**
     * Tells whether {@link #close()} was called.
     *
     * @return whether these locks refuse new acquisitions
     */
    public boolean isClosed() {
        return engine.isClosed();
    }

    /**
     * Ends renewal and refuses new acquisitions. Leases that are still held are lost at once ({@link
     * LossReason#LOCKS_CLOSED}); the store keeps each until its own {@link Lease#close()} or the end of its ttl, since its
     * holder may still be at work. Waits at most a second for releases of abandoned attempts that are under way.
     *
     * <p>Closes the backend if these locks come from {@link #open}: a lease that is closed later then stays in the store until its
     * ttl ends. The backend of {@link #over} and {@link #builder} stays open.
     */
    @Override
    public void close() {
        engine.close();
        if (ownsBackend) {
            engine.backend().close();
        }
    }
}
