package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.RetryPolicy;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Undoes an abandoned attempt on a thread of the engine, so that a store that does not answer cannot hold up a caller whose wait
 * is over. The caller still waits briefly: if the store answers, nothing of the attempt is left when the caller goes on.
 *
 * <p>An undo that the backend did not answer is repeated after growing pauses until it is answered, or for the ttl: a store that
 * was silent for longer than a release waits may yet execute the attempt.
 *
 * <p>An engine without threads undoes in the thread that abandons the attempt if there is time left, and otherwise in its next
 * step.
 */
final class Undo implements Runnable {

    private static final System.Logger LOG = System.getLogger("io.fenceline");
    private static final String NOT_UNDONE = "an abandoned attempt was not undone; the lock may stay taken for its ttl";

    /** Longer than a store takes that answers at all; short for somebody who was interrupted. */
    private static final long PATIENCE_NANOS = 500_000_000;

    private final Engine engine;
    private final Runnable action;

    /** When repeating it makes no sense any more: what it undoes has ended by then, or never existed. */
    private final long endNanos;

    private final Thread waiter = Thread.currentThread();

    /** Whether it was tried once, which is what the caller waits for. */
    private volatile boolean tried;

    /** Null until a try was not answered. */
    private @Nullable Backoff backoff;

    private long dueNanos;

    private Undo(Engine engine, Runnable action, long endNanos) {
        this.engine = engine;
        this.action = action;
        this.endNanos = endNanos;
    }

    /**
     * Releases a lock id, of which a grant or a place in a queue may be left in the backend.
     *
     * @param ttl of the grant
     * @param limitNanos until when, by the ticker, the caller can wait for it
     */
    static void release(Engine engine, LockKey key, LockId lockId, Duration ttl, long limitNanos) {
        long endNanos = engine.time().ticker().nanos() + ttl.toNanos();
        new Undo(engine, () -> engine.release(key, lockId), endNanos).start(limitNanos);
    }

    /** Releases a lock id for somebody whose wait has no end. */
    static void release(Engine engine, LockKey key, LockId lockId, Duration ttl) {
        release(engine, key, lockId, ttl, engine.time().ticker().nanos() + PATIENCE_NANOS);
    }

    /** Releases a lease that was granted to somebody who has given up. The first failure is told like any other of a release. */
    static void close(Engine engine, HeldLease lease, long limitNanos) {
        AtomicBoolean told = new AtomicBoolean();
        Runnable release = () -> {
            try {
                lease.release();
            } catch (RuntimeException e) {
                if (told.compareAndSet(false, true)) {
                    engine.releaseFailed(lease.stamp(), e);
                }
                throw e;
            }
        };
        new Undo(engine, release, lease.endNanos()).start(limitNanos);
    }

    /** Releases a lease for somebody whose wait has no end. */
    static void close(Engine engine, HeldLease lease) {
        close(engine, lease, engine.time().ticker().nanos() + PATIENCE_NANOS);
    }

    private void start(long limitNanos) {
        long now = engine.time().ticker().nanos();
        long until = limitNanos - now < PATIENCE_NANOS ? limitNanos : now + PATIENCE_NANOS;
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
            action.run();
        } catch (BackendException e) {
            failed(e, e.code().isTransient());
        } catch (RuntimeException e) {
            failed(e, false);
        } finally {
            if (!tried) {
                tried = true;
                engine.time().delays().wake(waiter);
            }
        }
    }

    /** It was not done, or could not begin. */
    void failed(Throwable cause, boolean worthRepeating) {
        boolean again = worthRepeating && again();
        LOG.log(Level.DEBUG, again ? "an abandoned attempt is not undone yet" : NOT_UNDONE, cause);
    }

    /** Has this repeated after a pause; answers false if that is impossible, or it is too late. */
    private boolean again() {
        if (backoff == null) {
            backoff = engine.backoff(RetryPolicy.defaults());
        }
        dueNanos = engine.time().ticker().nanos() + backoff.nextNanos();
        return dueNanos - endNanos < 0 && engine.undoRetries().add(this);
    }

    /** When it is to be repeated. */
    long dueNanos() {
        return dueNanos;
    }

    /** Orders by what is due first. */
    static int compareDue(Undo one, Undo other) {
        return Long.signum(one.dueNanos - other.dueNanos);
    }

    /** Waits though the thread was interrupted before, since that may be why it gave up; another interrupt ends the wait. */
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
