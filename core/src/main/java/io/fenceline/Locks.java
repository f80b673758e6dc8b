package io.fenceline;

import static java.util.Objects.requireNonNull;

import io.fenceline.internal.AsyncAcquire;
import io.fenceline.internal.Engine;
import io.fenceline.internal.LockView;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.LockListeners;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks on one backend. The entry point of the library.
 *
 * <pre>{@code
 * try (Locks locks = Locks.open("sqlite:/var/lib/app/locks.db")) {
 *     try (Lease lease = locks.acquire("invoice:42")) {
 *         orders.markPaid(42, lease.stamp());
 *     }
 * }
 * }</pre>
 *
 * <p>Create one per backend and process, and share it: threads that want the same key through one {@code Locks} wait in a local FIFO
 * queue, and only the first of them asks the backend. Where the store can end a lease and grant the next in one step, they pass the
 * lock on without asking the store for a while ({@link LocksBuilder#longestTurn}). Thread-safe; works with virtual threads.
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
     * @param backend the backend; the caller closes it after the locks
     * @return locks on it
     */
    public static Locks over(LockBackend backend) {
        return builder(backend).build();
    }

    /**
     * Returns a builder of locks on a backend, for other defaults, listeners, threads or time.
     *
     * @param backend the backend; the caller closes it after the locks
     * @return a builder
     */
    public static LocksBuilder builder(LockBackend backend) {
        return new LocksBuilder(backend, false);
    }

    /**
     * Acquires a lock with the default options, as {@link #acquire(String, LockOptions)} does.
     *
     * @param key the lock; see {@link LockKey}
     * @return a held lease
     * @throws LockTimeoutException if the lock was not free within the default wait
     * @throws BackendException on a permanent failure, or a transient one until the end of the wait
     * @throws InterruptedException if the thread is interrupted
     */
    public Lease acquire(String key) throws InterruptedException {
        return acquire(key, defaults);
    }

    /**
     * Acquires a lock, waiting for it if necessary. A last attempt is made when the wait ends, so a lock that becomes free within
     * the wait is not missed. Transient failures of the backend are retried within the wait.
     *
     * @param key the lock; see {@link LockKey}
     * @param options options of this acquisition
     * @return a held lease
     * @throws LockTimeoutException if the lock was not free within the wait
     * @throws BackendException on a permanent failure, or a transient one until the end of the wait. The attempt was undone as
     *     far as the backend could be reached
     * @throws InterruptedException if the thread is interrupted, on databases not before the attempt under way has its answer, or has
     *     reached the limit of the store; the attempt is undone first if the store answers within half a second, and otherwise in the
     *     background
     */
    public Lease acquire(String key, LockOptions options) throws InterruptedException {
        return engine.acquire(LockKey.of(key), requireNonNull(options, "options"));
    }

    /**
     * Acquires a lock with the default options if it is free, as {@link #tryAcquire(String, LockOptions)} does.
     *
     * @param key the lock; see {@link LockKey}
     * @return a held lease, or empty if the lock is taken
     * @throws BackendException if the backend failed
     */
    public Optional<Lease> tryAcquire(String key) {
        return tryAcquire(key, defaults);
    }

    /**
     * Acquires a lock if it is free. Asks the backend once, and not at all if a thread of this process holds the lock. Never
     * waits for the lock.
     *
     * @param key the lock; see {@link LockKey}
     * @param options options of this acquisition; the wait is not used
     * @return a held lease, or empty if the lock is taken
     * @throws BackendException if the backend failed, or granted the lock when its ttl was over. The attempt was undone as far as the
     *     backend could be reached
     */
    public Optional<Lease> tryAcquire(String key, LockOptions options) {
        return engine.tryAcquire(LockKey.of(key), requireNonNull(options, "options"));
    }

    /**
     * Runs work under a lock with the default options, as {@link #run(String, LockOptions, LockTask)} does.
     *
     * @param key the lock; see {@link LockKey}
     * @param task the work
     * @param <X> what it throws
     * @throws X what the task throws
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <X extends Exception> void run(String key, LockTask<X> task) throws X, InterruptedException {
        run(key, defaults, task);
    }

    /**
     * Runs work under a lock. Work with a result goes to {@link #call(String, LockOptions, LockCall)}.
     *
     * @param key the lock; see {@link LockKey}
     * @param options options of this acquisition
     * @param task the work
     * @param <X> what it throws
     * @throws X what the task throws
     * @throws LeaseLostException if the task returned after the lease was lost, or was interrupted because of it. What only the store
     *     knows, as after a forced release, is noticed when the store is asked: see {@link LocksBuilder#withoutCohorts}
     * @throws LockTimeoutException if the lock was not free within the wait
     * @throws BackendException if the backend failed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <X extends Exception> void run(String key, LockOptions options, LockTask<X> task)
            throws X, InterruptedException {
        requireNonNull(task, "task");
        engine.call(LockKey.of(key), requireNonNull(options, "options"), lease -> {
            task.run(lease);
            return true;
        });
    }

    /**
     * Runs work that has a result under a lock with the default options, as {@link #call(String, LockOptions, LockCall)} does.
     *
     * @param key the lock; see {@link LockKey}
     * @param call the work
     * @param <T> its result
     * @param <X> what it throws
     * @return its result
     * @throws X what the call throws
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <T extends @Nullable Object, X extends Exception> T call(String key, LockCall<T, X> call)
            throws X, InterruptedException {
        return call(key, defaults, call);
    }

    /**
     * Runs work that has a result under a lock.
     *
     * @param key the lock; see {@link LockKey}
     * @param options options of this acquisition
     * @param call the work
     * @param <T> its result
     * @param <X> what it throws
     * @return its result; the lease was held until the call returned
     * @throws X what the call throws
     * @throws LeaseLostException if the call returned after the lease was lost, or was interrupted because of it. What only the store
     *     knows, as after a forced release, is noticed when the store is asked: see {@link LocksBuilder#withoutCohorts}
     * @throws LockTimeoutException if the lock was not free within the wait
     * @throws BackendException if the backend failed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <T extends @Nullable Object, X extends Exception> T call(
            String key, LockOptions options, LockCall<T, X> call) throws X, InterruptedException {
        requireNonNull(call, "call");
        return engine.call(LockKey.of(key), requireNonNull(options, "options"), call);
    }

    /**
     * Acquires a lock with the default options, as {@link #acquireAsync(String, LockOptions)} does.
     *
     * @param key the lock; see {@link LockKey}
     * @return a future of the lease
     */
    public CompletableFuture<Lease> acquireAsync(String key) {
        return acquireAsync(key, defaults);
    }

    /**
     * Acquires a lock on another thread.
     *
     * @param key the lock; see {@link LockKey}
     * @param options options of this acquisition
     * @return a future that completes with the lease, or with what {@link #acquire(String, LockOptions)} would throw. If it
     *     is cancelled or completed by other code, the attempt ends and a late grant is undone
     * @throws java.util.concurrent.RejectedExecutionException if {@link LocksBuilder#asyncExecutor} refuses the task
     */
    public CompletableFuture<Lease> acquireAsync(String key, LockOptions options) {
        return AsyncAcquire.start(engine, LockKey.of(key), requireNonNull(options, "options"));
    }

    /**
     * Returns a lock as a {@link java.util.concurrent.locks.Lock}.
     *
     * @param key the lock; see {@link LockKey}
     * @param options options of this acquisition; the wait is not used
     * @return a lock that is not reentrant; each lease belongs to the thread that locked
     */
    public LeasedLock asLock(String key, LockOptions options) {
        return new LockView(engine, LockKey.of(key), requireNonNull(options, "options"));
    }

    /**
     * Reads the running lease of a lock. For display only: the result may be outdated when it arrives.
     *
     * @param key the lock; see {@link LockKey}
     * @return the running lease of any process, or empty if the lock is free
     * @throws BackendException if the backend failed
     */
    public Optional<LockRecord> lookup(String key) {
        return engine.backend().lookup(LockKey.of(key));
    }

    /** Asks the store for a reply. */
    void ping() {
        engine.backend().ping();
    }

    /**
     * Returns the options of calls that name none, for code that names some of its own.
     *
     * @return the options that were given to the builder
     */
    public LockOptions defaults() {
        return defaults;
    }

    /**
     * Returns the time source of these locks.
     *
     * @return clocks and waits
     */
    public TimeSource time() {
        return engine.time();
    }

    /**
     * Returns the listeners of these locks, for code that emits events of its own.
     *
     * @return the listeners that were given to the builder
     */
    public LockListeners listeners() {
        return engine.telemetry();
    }

    /**
     * Runs all due renewals, loss notifications and undos of abandoned attempts. Only for locks built with {@link
     * LocksBuilder#withoutThread()}.
     *
     * @return the time until the next step is due; {@link Locks#NOTHING_DUE} if no lease is held and nothing is left to undo
     */
    public Duration runDueSteps() {
        return engine.runDueSteps();
    }

    /** Returned by {@link #runDueSteps()} when no lease is held and nothing is left to undo. */
    public static final Duration NOTHING_DUE = Duration.ofNanos(Long.MAX_VALUE);

    /**
     * Returns whether {@link #close()} was called.
     *
     * @return whether these locks refuse new acquisitions
     */
    public boolean isClosed() {
        return engine.isClosed();
    }

    /**
     * Ends renewals and rejects new acquisitions. Held leases are lost at once ({@link LossReason#LOCKS_CLOSED}), but stay in the
     * store until their {@link Lease#close()} or the end of their ttl, since their holders may still be working. Acquisitions under way
     * fail with {@link IllegalStateException}. Waits, a second at most, until releases under way are answered and what acquisitions and
     * abandoned attempts may have left in the store is undone; locks without a thread of their own undo the latter, and do not wait.
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
