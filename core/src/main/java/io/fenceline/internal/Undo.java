package io.fenceline.internal;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;

/**
 * Undoes an attempt that was given up, on a thread of the engine, so that a store that stands still cannot hold up a caller
 * whose wait is over. The caller waits a moment for it all the same: where the store answers, nothing of the attempt is left
 * when the caller goes on.
 *
 * <p>An engine without threads undoes in the thread that gave up if there is time left, and otherwise when it is driven next.
 */
final class Undo implements Runnable {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    /** Longer than a store takes that answers at all; short for somebody who was interrupted. */
    private static final long PATIENCE_NANOS = 500_000_000;

    private final Engine engine;
    private final Runnable action;
    private final Thread waiter = Thread.currentThread();
    private volatile boolean done;

    private Undo(Engine engine, Runnable action) {
        this.engine = engine;
        this.action = action;
    }

    /** Releases a lock id, of which a grant or a place in a queue may be left in the backend. */
    static void release(Engine engine, LockKey key, LockId lockId, long limitNanos) {
        run(engine, () -> engine.release(key, lockId), limitNanos);
    }

    /** Releases a lock id for somebody whose wait has no end. */
    static void release(Engine engine, LockKey key, LockId lockId) {
        release(engine, key, lockId, engine.time().ticker().nanos() + PATIENCE_NANOS);
    }

    /**
     * Runs something that undoes an attempt.
     *
     * @param action may wait for the backend; its failure costs others the rest of the ttl and nothing else
     * @param limitNanos until when, by the ticker, the caller can wait for it
     */
    static void run(Engine engine, Runnable action, long limitNanos) {
        long now = engine.time().ticker().nanos();
        long until = limitNanos - now < PATIENCE_NANOS ? limitNanos : now + PATIENCE_NANOS;
        Undo undo = new Undo(engine, action);
        if (!engine.threads().watch() && until - now > 0) {
            undo.run();
            return;
        }
        try {
            engine.threads().undos().execute(undo);
        } catch (RejectedExecutionException
                | OutOfMemoryError noThread) { // the locks were closed, or no thread can be started
            undo.run();
        }
        undo.await(until);
    }

    @Override
    public void run() {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "an abandoned attempt was not undone; the lock may stay taken for its ttl", e);
        } finally {
            done = true;
            engine.time().delays().wake(waiter);
        }
    }

    /** Waits though the thread was interrupted before, since that may be why it gave up; another interrupt ends the wait. */
    private void await(long untilNanos) {
        boolean interrupted = Thread.interrupted();
        try {
            while (!done) {
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
