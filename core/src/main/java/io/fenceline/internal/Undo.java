package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.RetryPolicy;
import io.fenceline.time.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Undoes an abandoned attempt on a thread of the engine, so that a store that hangs does not delay a caller whose wait is over.
 * The caller still waits briefly: if the store answers, nothing of the attempt is left when the caller continues. A release that
 * failed in {@code close} is retried likewise, without a wait.
 *
 * <p>An undo without a reply is retried with growing pauses until it gets one, at most for the ttl: a store that was silent for
 * longer than the timeout of a release may still execute the attempt. The undo of attempts without a reply is also repeated for
 * {@link #LATE_NANOS} after the store replied, unless there was one such attempt and its grant was released: a store with several
 * connections may execute another attempt after the undo, and grant it anew.
 *
 * <p>An engine without threads undoes on the thread that abandons the attempt if there is time left, and otherwise in its next
 * step.
 */
final class Undo implements Runnable {

    private static final System.Logger LOG = System.getLogger("io.fenceline");
    private static final String NOT_UNDONE = "a lock was not released; it may stay taken until its ttl ends";

    /** Maximum time for which the caller waits: longer than a working store takes, and short for a caller that was interrupted. */
    private static final long MAX_BLOCK_NANOS = 500_000_000;

    /** A store that answers a release executes what it got before within this time, unless it waits for a lock of its own. */
    private static final long LATE_NANOS = 2_000_000_000;

    private final Engine engine;

    /** Returns whether nothing is left to undo. */
    private final BooleanSupplier action;

    /** End of the retries: by then the grant has expired, or it never existed. */
    private long endNanos;

    private final Thread waiter = Thread.currentThread();

    /** True after the first try, which the caller waits for. */
    private volatile boolean tried;

    /** Whether the store has replied, and may still execute an attempt. */
    private boolean looksAgain;

    /** Null until a try got no reply. */
    private @Nullable Backoff backoff;

    private long dueNanos;

    private Undo(Engine engine, Runnable action, long endNanos) {
        this(
                engine,
                () -> {
                    action.run();
                    return true;
                },
                endNanos);
    }

    private Undo(Engine engine, BooleanSupplier action, long endNanos) {
        this.engine = engine;
        this.action = action;
        this.endNanos = endNanos;
    }

    /**
     * Releases a lock id that may have a grant or a place in the wait queue.
     *
     * @param ttl of the grant
     * @param unanswered how many attempts got no reply, so that the store may not have executed them yet
     * @param limitNanos the time, by the ticker, until which the caller can wait
     */
    static void release(Engine engine, LockKey key, LockId lockId, Duration ttl, int unanswered, long limitNanos) {
        long endNanos = engine.time().ticker().nanos() + ttl.toNanos();
        BooleanSupplier action = () -> {
            boolean released = engine.release(key, lockId);
            return unanswered == 0 || (unanswered == 1 && released);
        };
        new Undo(engine, action, endNanos).start(limitNanos);
    }

    /** Releases a lock id for a caller without a limit. */
    static void release(Engine engine, LockKey key, LockId lockId, Duration ttl, int unanswered) {
        release(engine, key, lockId, ttl, unanswered, engine.time().ticker().nanos() + MAX_BLOCK_NANOS);
    }

    /**
     * Takes back what an extension added to the rest of a released lease.
     *
     * @param ttl of the extension
     * @param restEndNanos the end of the rest, by the ticker
     */
    static void extension(Engine engine, LockKey key, LockId lockId, Duration ttl, long restEndNanos) {
        Ticker ticker = engine.time().ticker();
        Runnable action = () -> {
            long left = restEndNanos - ticker.nanos();
            if (left > 0) {
                engine.releaseAfter(key, lockId, Duration.ofNanos(left));
            } else {
                engine.release(key, lockId);
            }
        };
        long now = ticker.nanos();
        new Undo(engine, action, now + ttl.toNanos()).start(now + MAX_BLOCK_NANOS);
    }

    /** Releases a lease whose caller has given up. Reports the first failure to the release error handler. */
    static void close(Engine engine, HeldLease lease, long limitNanos) {
        AtomicBoolean reported = new AtomicBoolean();
        Runnable release = () -> {
            try {
                lease.releaseAfter(Duration.ZERO); // it did no work that a minimum hold is for
            } catch (RuntimeException e) {
                if (reported.compareAndSet(false, true)) {
                    engine.releaseFailed(lease.stamp(), e);
                }
                throw e;
            }
        };
        new Undo(engine, release, lease.endNanos()).start(limitNanos);
    }

    /** Closes a lost lease, whose caller must learn of the loss soon. The close reports and retries what fails. */
    static void closeLost(Engine engine, Runnable close) {
        long now = engine.time().ticker().nanos();
        new Undo(engine, close, now).start(now + MAX_BLOCK_NANOS);
    }

    /** Retries the failed release of a lease in the background. */
    static void retryRelease(Engine engine, HeldLease lease, Throwable failure) {
        Undo undo = new Undo(engine, lease::release, lease.endNanos());
        undo.tried = true; // nobody waits for it
        undo.failed(failure);
    }

    /** Releases a lease for a caller without a limit. */
    static void close(Engine engine, HeldLease lease) {
        close(engine, lease, engine.time().ticker().nanos() + MAX_BLOCK_NANOS);
    }

    private void start(long limitNanos) {
        long now = engine.time().ticker().nanos();
        long until = limitNanos - now < MAX_BLOCK_NANOS ? limitNanos : now + MAX_BLOCK_NANOS;
        if (!engine.threads().watch() && until - now > 0) {
            run();
            return;
        }
        try {
            engine.threads().undos().execute(this);
        } catch (RejectedExecutionException
                | OutOfMemoryError noThread) { // the locks were closed, or no thread can be started
            run();
        }
        await(until);
    }

    @Override
    public void run() {
        try {
            if (!action.getAsBoolean()) {
                lookAgain();
            }
        } catch (Exception | Error e) { // for instance, a driver could start no thread
            failed(e);
        } finally {
            if (!tried) {
                tried = true;
                engine.time().delays().wake(waiter);
            }
        }
    }

    /** Handles a try that failed or could not start. It is repeated unless the backend said that it fails for good. */
    void failed(Throwable cause) {
        boolean forGood = cause instanceof BackendException e && !e.code().isTransient();
        boolean again = !forGood && again();
        LOG.log(Level.DEBUG, again ? "a lock is not released yet; retrying" : NOT_UNDONE, cause);
    }

    private void lookAgain() {
        if (!looksAgain) {
            looksAgain = true;
            backoff = null;
            long lateNanos = engine.time().ticker().nanos() + LATE_NANOS;
            endNanos = lateNanos - endNanos < 0 ? lateNanos : endNanos;
        }
        again();
    }

    /** Schedules a retry. Returns false if that is impossible or too late. */
    private boolean again() {
        if (backoff == null) {
            backoff = engine.backoff(RetryPolicy.defaults());
        }
        dueNanos = engine.time().ticker().nanos() + backoff.nextNanos();
        return dueNanos - endNanos < 0 && engine.undoRetries().add(this);
    }

    /** The due time of the retry. */
    long dueNanos() {
        return dueNanos;
    }

    /** Compares by due time. */
    static int compareDue(Undo one, Undo other) {
        return Long.signum(one.dueNanos - other.dueNanos);
    }

    /** Waits for the first try, also on a thread that was interrupted before (often the reason for giving up). Another interrupt ends the wait. */
    private void await(long untilNanos) {
        boolean interrupted = Thread.interrupted();
        try {
            while (!tried) {
                long left = untilNanos - engine.time().ticker().nanos();
                if (left <= 0) {
                    break;
                }
                engine.time().delays().park(left);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
