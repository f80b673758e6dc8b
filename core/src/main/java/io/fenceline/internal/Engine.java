package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockCall;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.ReleaseErrorHandler;
import io.fenceline.RetryPolicy;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.Succession;
import io.fenceline.spi.WaiterNotices;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import io.fenceline.telemetry.NoGrant;
import io.fenceline.time.Delays;
import io.fenceline.time.Ticker;
import io.fenceline.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Shared state of all acquisitions and leases of one {@link Locks}: backend, time, threads, listeners and local wait queues. */
public final class Engine {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private static final int MAX_INTERRUPTED_TRIES = 3;

    /**
     * The time for which {@link #close} waits for acquisitions, releases and undos. One that does not finish may leave the lock taken for
     * the rest of its ttl.
     */
    private static final long CLOSE_NANOS = 1_000_000_000;

    private final LockBackend backend;
    private final @Nullable Succession succession;
    private final @Nullable BulkExtension bulkExtension;
    private final boolean cohorts;
    private final NoticeSender notices;
    private final TimeSource time;
    private final DoubleSupplier random;
    private final EngineThreads threads;
    private final LockListeners telemetry;
    private final @Nullable ReleaseErrorHandler releaseErrorHandler;
    private final LocalQueue queue;
    private final Renewer renewer;
    private final UndoRetries undoRetries;
    private volatile boolean closed;

    /** Creates an engine. Threads start when first needed. */
    public Engine(
            LockBackend backend,
            TimeSource time,
            DoubleSupplier random,
            EngineThreads threads,
            List<LockListener> listeners,
            @Nullable ReleaseErrorHandler releaseErrorHandler,
            boolean cohorts,
            Duration longestTurn) {
        this.backend = backend;
        this.succession = backend.ability(Succession.class).orElse(null);
        this.bulkExtension = backend.ability(BulkExtension.class).orElse(null);
        this.cohorts = cohorts && succession != null;
        this.notices =
                new NoticeSender(this, backend.ability(WaiterNotices.class).orElse(null));
        this.time = time;
        this.random = random;
        this.threads = threads;
        this.telemetry = new LockListeners(listeners);
        this.releaseErrorHandler = releaseErrorHandler;
        this.queue = new LocalQueue(time, longestTurn);
        this.renewer = new Renewer(time, threads.watch());
        this.undoRetries = new UndoRetries(time, threads);
    }

    /** See {@link Locks#acquire(String, LockOptions)}. */
    public Lease acquire(LockKey key, LockOptions options) throws InterruptedException {
        return Acquiring.waitFor(this, key, options);
    }

    /** See {@link Locks#tryAcquire(String, LockOptions)}. */
    public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
        return Optional.ofNullable(Acquiring.tryOnce(this, key, options));
    }

    /** See {@link Locks#call(String, LockOptions, LockCall)}. */
    public <T extends @Nullable Object, X extends Exception> T call(
            LockKey key, LockOptions options, LockCall<T, X> body) throws X, InterruptedException {
        return new LockedBody(telemetry, Acquiring.waitFor(this, key, options)).call(body, options.interruptedOnLoss());
    }

    /** See {@link Locks#runDueSteps()}. */
    public Duration runDueSteps() {
        if (threads.watch()) {
            throw new IllegalStateException("these locks have their own thread; build them with withoutThread()");
        }
        renewer.runDue();
        undoRetries.runDue();
        threads.runDeferred();
        return Duration.ofNanos(Math.min(renewer.nanosToNextStep(), undoRetries.nanosToNextStep()));
    }

    /** See {@link Locks#close()}. */
    public void close() {
        closed = true;
        for (HeldLease lease : renewer.close()) {
            lease.lose(LossReason.LOCKS_CLOSED, null);
        }
        boolean interrupted = Thread.interrupted();
        try {
            long left = letCallsEnd(threads.watch() ? CLOSE_NANOS : 0);
            threads.runDeferred();
            undoRetries.close();
            threads.shutdown(left);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits until those who acquire have noticed that the locks are closed and have undone their attempts, and until releases have been
     * answered, as far as they can within a time. Returns what is left of it.
     */
    private long letCallsEnd(long nanos) {
        Ticker ticker = Ticker.system();
        long end = ticker.nanos() + nanos;
        try {
            while (queue.wakeUnderWay() && end - ticker.nanos() > 0) {
                Delays.system().park(1_000_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return end - ticker.nanos();
    }

    /** See {@link Locks#isClosed()}. */
    public boolean isClosed() {
        return closed;
    }

    /** Throws if the locks are closed. */
    void ensureOpen() {
        if (closed) {
            throw new IllegalStateException("these locks are closed");
        }
    }

    /** Creates the lease of a grant whose reply has just come. */
    HeldLease hold(
            Grant grant,
            Moment asked,
            Moment replied,
            LeaseDeadline deadline,
            LockOptions options,
            LocalQueue.Turn turn) {
        HeldLease lease = new HeldLease(this, grant, asked, replied, deadline, options, turn);
        lease.watchOn();
        return lease;
    }

    void renew(HeldLease lease) {
        try {
            threads.renewals().start(lease);
        } catch (RejectedExecutionException afterClose) {
            lease.lose(LossReason.LOCKS_CLOSED, null);
        } catch (RuntimeException | Error e) { // for instance, no thread can be started
            lease.renewalNotStarted(e);
        }
    }

    void callback(Runnable callback) {
        try {
            threads.callbacks().execute(() -> {
                try {
                    callback.run();
                } catch (Exception e) {
                    LOG.log(Level.WARNING, "a callback of a lost lease failed", e);
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError noThread) { // after close, or no thread can be started
            callback.run();
        }
    }

    boolean release(LockKey key, LockId lockId) {
        return uninterrupted(again -> backend.release(key, lockId) || again);
    }

    boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        return uninterrupted(again -> backend.releaseAfter(key, lockId, rest) || again);
    }

    /**
     * A request that is sent again if an interrupt broke it off.
     *
     * @param <T> type of the reply
     */
    interface RepeatableRequest<T> {

        /**
         * Sends the request.
         *
         * @param again whether an earlier try may have succeeded, its reply being lost
         */
        T run(boolean again);
    }

    /**
     * Sends a release although the thread is interrupted, and restores the interrupt status. If an interrupt that comes meanwhile
     * makes it fail, as on a socket that a virtual thread reads, sends it again.
     */
    <T> T uninterrupted(RepeatableRequest<T> release) {
        boolean interrupted = Thread.interrupted();
        boolean again = false;
        try {
            for (int tries = 1; ; tries++) {
                try {
                    return release.run(again);
                } catch (BackendException e) {
                    boolean silent = e.code() == ErrorCode.NETWORK_TIMEOUT; // not caused by the interrupt
                    if (silent || tries == MAX_INTERRUPTED_TRIES || !Thread.interrupted()) {
                        throw e;
                    }
                    interrupted = true;
                    again |= e.effect() != Effect.NONE;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Emits {@code AcquireBegun}; {@link #granted} or {@link #notGranted} follows. */
    void acquireBegun(LockKey key) {
        if (telemetry.isOn()) {
            telemetry.emit(new LockEvent.AcquireBegun(key));
        }
    }

    void releaseFailed(FenceStamp stamp, RuntimeException error) {
        try {
            if (releaseErrorHandler != null) {
                releaseErrorHandler.onReleaseError(stamp, error);
            } else {
                LOG.log(
                        Level.WARNING,
                        "the lock with token {0} is not released yet; it stays taken until a retry succeeds or its ttl ends: {1}",
                        stamp.token(),
                        error);
            }
        } catch (Exception | Error e) { // an error too: it must not prevent the retry
            LOG.log(Level.WARNING, "the release error handler failed", e);
        }
    }

    void granted(Grant grant, long began, int attempts) {
        if (telemetry.isOn()) {
            Duration waited = Duration.ofNanos(time.ticker().nanos() - began);
            telemetry.emit(new LockEvent.Acquired(grant.stamp(), grant.holder(), waited, attempts));
            if (grant.lastToken().isNearLimit()) {
                telemetry.emit(new LockEvent.TokenNearLimit(grant.stamp()));
            }
        }
    }

    void notGranted(LockKey key, NoGrant reason, long waitedNanos, int attempts) {
        if (telemetry.isOn()) {
            telemetry.emit(new LockEvent.NotAcquired(key, reason, Duration.ofNanos(waitedNanos), attempts));
        }
    }

    Backoff backoff(RetryPolicy policy) {
        return new Backoff(policy, random);
    }

    public LockBackend backend() {
        return backend;
    }

    @Nullable
    Succession succession() {
        return succession;
    }

    @Nullable
    BulkExtension bulkExtension() {
        return bulkExtension;
    }

    /** Returns the number of tokens to ask for: several if other threads of this process wait for the lock. */
    int tokensToAskFor(LocalQueue.Turn turn) {
        int waiting = cohorts ? turn.waiting() : 0;
        return waiting == 0 ? 1 : Cohort.tokensFor(turn.key(), waiting + 1);
    }

    NoticeSender notices() {
        return notices;
    }

    public TimeSource time() {
        return time;
    }

    LocalQueue queue() {
        return queue;
    }

    Renewer renewer() {
        return renewer;
    }

    UndoRetries undoRetries() {
        return undoRetries;
    }

    public LockListeners telemetry() {
        return telemetry;
    }

    EngineThreads threads() {
        return threads;
    }
}
