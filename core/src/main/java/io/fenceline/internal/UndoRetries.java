package io.fenceline.internal;

import io.fenceline.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Retries undos without a reply, each after its pause. A waiting undo occupies no thread, and retries never occupy all threads:
 * they may all go to one node that hangs.
 *
 * <p>One thread starts the retries and ends when none are left. An engine without threads starts them in its steps. All state is
 * guarded by {@code lock}, which is not held during an undo.
 */
final class UndoRetries {

    /** Maximum of concurrent retries: half of the undo threads. */
    static final int MAX_RUNNING = EngineThreads.MAX_UNDOS / 2;

    /** Returned by {@link #nanosToNextStep()} when no undo waits. */
    static final long NOTHING_DUE = Long.MAX_VALUE;

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private final TimeSource time;
    private final EngineThreads threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Undo> waiting = new PriorityQueue<>(Undo::compareDue);
    private int running;
    private @Nullable Thread thread;
    private boolean closed;

    UndoRetries(TimeSource time, EngineThreads threads) {
        this.time = time;
        this.threads = threads;
    }

    /** Schedules a retry. Returns false if the locks are closed or no thread can be started. */
    boolean add(Undo undo) {
        lock.lock();
        try {
            if (closed || (threads.watch() && !ensureThread())) {
                return false;
            }
            waiting.add(undo);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Drops all waiting undos. */
    void close() {
        lock.lock();
        try {
            closed = true;
            waiting.clear();
            wakeThread();
        } finally {
            lock.unlock();
        }
    }

    /** Starts due retries. */
    void runDue() {
        for (Undo undo : takeDue()) {
            try {
                threads.undos().execute(() -> retry(undo));
            } catch (RejectedExecutionException
                    | OutOfMemoryError noThread) { // after close, or no thread can be started
                ended();
                undo.failed(noThread);
            }
        }
    }

    /** Returns the nanoseconds to the next retry that may run, or {@link #NOTHING_DUE}. */
    long nanosToNextStep() {
        lock.lock();
        try {
            Undo first = waiting.peek();
            return first == null || running >= MAX_RUNNING
                    ? NOTHING_DUE
                    : Math.max(0, first.dueNanos() - time.ticker().nanos());
        } finally {
            lock.unlock();
        }
    }

    private List<Undo> takeDue() {
        List<Undo> due = new ArrayList<>();
        lock.lock();
        try {
            long now = time.ticker().nanos();
            for (Undo first = waiting.peek();
                    first != null && first.dueNanos() - now <= 0 && running < MAX_RUNNING;
                    first = waiting.peek()) {
                due.add(waiting.remove());
                running++;
            }
        } finally {
            lock.unlock();
        }
        return due;
    }

    private void retry(Undo undo) {
        try {
            undo.run();
        } finally {
            ended();
        }
    }

    private void ended() {
        lock.lock();
        try {
            running--;
            wakeThread();
        } finally {
            lock.unlock();
        }
    }

    private boolean ensureThread() {
        if (thread != null) {
            wakeThread();
            return true;
        }
        Thread started = EngineThreads.undoRetriesThread(this::work);
        try {
            started.start();
        } catch (OutOfMemoryError noThread) {
            LOG.log(Level.DEBUG, "cannot start a thread for undo retries", noThread);
            return false;
        }
        thread = started;
        return true;
    }

    private void wakeThread() {
        if (thread != null) {
            time.delays().wake(thread);
        }
    }

    private void work() {
        try {
            while (!isOver()) {
                runDue();
                time.delays().park(planNextWake());
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "the thread of undo retries was interrupted", e);
        } finally {
            forgetThread();
        }
    }

    private long planNextWake() {
        lock.lock();
        try {
            // The wake of close() can have ended a wait for the lock.
            return closed ? 0 : Math.min(nanosToNextStep(), NOTHING_DUE / 2);
        } finally {
            lock.unlock();
        }
    }

    /** Decided under the lock, so that {@link #add} never relies on a thread that ends. */
    private boolean isOver() {
        lock.lock();
        try {
            boolean over = closed || (waiting.isEmpty() && running == 0);
            if (over) {
                thread = null;
            }
            return over;
        } finally {
            lock.unlock();
        }
    }

    private void forgetThread() {
        lock.lock();
        try {
            if (thread == Thread.currentThread()) {
                thread = null; // it failed; the next retry starts another
            }
        } finally {
            lock.unlock();
        }
    }
}
