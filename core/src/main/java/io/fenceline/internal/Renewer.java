package io.fenceline.internal;

import io.fenceline.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Steps every held lease when its next step is due: a renewal to start, or a deadline to announce. It is driven by a thread of
 * its own or by whoever calls {@link #runDue()}, and never waits for a backend or for the user's code.
 *
 * <p>{@code held} is guarded by {@code lock}, which is never held while a lease is stepped, so a step may schedule and cancel.
 *
 * <p>Due times are on the monotonic clock, which stands still while the machine sleeps. So that a lease that ended during the
 * sleep is announced soon after, the thread looks up once a second while anything is held, and steps every lease when the wall
 * clock has run ahead of the monotonic one.
 */
final class Renewer {

    /** What {@link #nanosToNextStep()} answers when nothing is held. */
    static final long NOTHING_DUE = Long.MAX_VALUE;

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private static final long LOOK_UP_NANOS = 1_000_000_000;
    private static final long JUMP_MILLIS = 100;
    private static final long PAUSE_AFTER_FAILURE_NANOS = 10_000_000;

    private final TimeSource time;
    private final boolean threaded;
    private final ReentrantLock lock = new ReentrantLock();
    private final DueHeap held = new DueHeap();
    private @Nullable Thread thread;
    private long threadWakesAt;
    private volatile boolean closed;
    private long wallAheadMillis;

    Renewer(TimeSource time, boolean threaded) {
        this.time = time;
        this.threaded = threaded;
        this.wallAheadMillis = wallAhead(Moment.now(time));
    }

    /**
     * Takes a lease under watch, or moves its next step; answers false if the watch has ended. The lease is asked for the step
     * here, under the lock: of two threads that changed the lease, the later one sees both changes.
     */
    boolean schedule(HeldLease lease) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            long dueNanos = lease.nextStepNanos();
            if (threaded) {
                ensureAwakeBy(dueNanos); // first: if no thread can be started, the lease is not held
            }
            held.put(lease, dueNanos);
            return true;
        } finally {
            lock.unlock();
        }
    }

    void cancel(HeldLease lease) {
        lock.lock();
        try {
            held.remove(lease);
        } finally {
            lock.unlock();
        }
    }

    /** Runs every step that is due. */
    void runDue() {
        Moment now = Moment.now(time);
        noticeJump(now);
        for (HeldLease lease = takeDue(now); lease != null; lease = takeDue(now)) {
            step(lease, now);
        }
    }

    /** The nanoseconds to the next step, or {@link #NOTHING_DUE}. */
    long nanosToNextStep() {
        lock.lock();
        try {
            HeldLease first = held.first();
            return first == null
                    ? NOTHING_DUE
                    : Math.max(0, first.dueNanos - time.ticker().nanos());
        } finally {
            lock.unlock();
        }
    }

    /** The failure of one step, for instance since no thread can be started, must not end the watch over the others. */
    private void step(HeldLease lease, Moment now) {
        try {
            lease.step(now);
        } catch (RuntimeException | Error e) {
            again(lease, now.nanos() + PAUSE_AFTER_FAILURE_NANOS);
            LOG.log(Level.ERROR, "a step of " + lease + " failed", e);
        }
    }

    /** Keeps a lease under watch after a failed step. If it has ended, the next step notices. */
    private void again(HeldLease lease, long dueNanos) {
        lock.lock();
        try {
            if (!closed) {
                held.put(lease, dueNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the watch and answers the leases that were held. */
    List<HeldLease> close() {
        lock.lock();
        try {
            closed = true;
            if (thread != null) {
                time.delays().wake(thread);
            }
            List<HeldLease> taken = new ArrayList<>();
            for (HeldLease first = held.first(); first != null; first = held.first()) {
                held.remove(first);
                taken.add(first);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private void noticeJump(Moment now) {
        lock.lock();
        try {
            long wallAhead = wallAhead(now);
            if (wallAhead - wallAheadMillis > JUMP_MILLIS) {
                held.makeDueBy(now.nanos());
            }
            wallAheadMillis = wallAhead;
        } finally {
            lock.unlock();
        }
    }

    /** Takes one lease, so that a failure in between leaves all others under watch. */
    private @Nullable HeldLease takeDue(Moment now) {
        lock.lock();
        try {
            HeldLease first = held.first();
            if (first == null || first.dueNanos - now.nanos() > 0) {
                return null;
            }
            held.remove(first);
            return first;
        } finally {
            lock.unlock();
        }
    }

    private static long wallAhead(Moment now) {
        return now.wallMillis() - now.nanos() / 1_000_000;
    }

    /** A thread that wakes too early finds nothing to do; only one that would wake too late is woken. */
    private void ensureAwakeBy(long dueNanos) {
        if (thread == null) {
            Thread started = EngineThreads.watchThread(this::watch);
            started.start();
            thread = started;
            threadWakesAt = dueNanos;
        } else if (dueNanos - threadWakesAt < 0) {
            threadWakesAt = dueNanos;
            time.delays().wake(thread);
        }
    }

    private void watch() {
        boolean failed = false;
        while (!closed) {
            try {
                if (failed) {
                    failed = false;
                    time.delays().park(PAUSE_AFTER_FAILURE_NANOS);
                }
                runDue();
                time.delays().park(planNextWake());
            } catch (InterruptedException ignored) {
                // nobody but us knows this thread; it ends by close()
            } catch (RuntimeException | Error e) { // memory may be short for a moment: leases depend on this thread
                failed = true;
                logQuietly(e);
            }
        }
    }

    private static void logQuietly(Throwable failure) {
        try {
            LOG.log(Level.ERROR, "the watch over leases failed and goes on", failure);
        } catch (RuntimeException | Error noMemoryForALog) {
            // the watch goes on
        }
    }

    private long planNextWake() {
        lock.lock();
        try {
            long now = time.ticker().nanos();
            HeldLease first = held.first();
            long nanos = first == null ? NOTHING_DUE / 2 : Math.min(first.dueNanos - now, LOOK_UP_NANOS);
            threadWakesAt = now + nanos;
            return nanos;
        } finally {
            lock.unlock();
        }
    }
}
