package io.fenceline.internal;

import io.fenceline.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs the next step of every held lease when it is due: starts a renewal, or announces a deadline. It is driven by its own
 * thread or by calls of {@link #runDue()}, and never waits for a backend or for user code.
 *
 * <p>{@code held} is guarded by {@code lock}, which is never held during a step, so a step may schedule and cancel.
 *
 * <p>Due times are on the monotonic clock, which stops while the machine sleeps. To announce leases that ended during the
 * sleep, the thread wakes once a second while any lease is held, and steps all leases if the wall clock has run ahead of the
 * monotonic one.
 */
final class Renewer {

    /** Returned by {@link #nanosToNextStep()} when no lease is held. */
    static final long NOTHING_DUE = Long.MAX_VALUE;

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private static final long LOOK_UP_NANOS = 1_000_000_000;
    private static final long PAUSE_AFTER_FAILURE_NANOS = 10_000_000;

    private final TimeSource time;
    private final boolean threaded;
    private final ReentrantLock lock = new ReentrantLock();
    private final DueHeap held = new DueHeap();
    private @Nullable Thread thread;
    private long threadWakesAt;
    private volatile boolean closed;
    private volatile Moment lastLook;

    /** From here on small steps of the wall clock add up; guarded by {@code lock}. */
    private Moment lastJump;

    Renewer(TimeSource time, boolean threaded) {
        this.time = time;
        this.threaded = threaded;
        this.lastLook = Moment.now(time);
        this.lastJump = lastLook;
    }

    /**
     * Schedules a lease, or reschedules it. Returns false after {@link #close}. The due time is read here, under the lock: of two
     * threads that changed the lease, the later one sees both changes.
     */
    boolean schedule(HeldLease lease) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            long dueNanos = lease.nextStepNanos();
            if (threaded) {
                ensureAwakeBy(dueNanos); // first: without a thread the lease must not be held
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

    /** Runs all due steps. */
    void runDue() {
        Moment now = Moment.now(time);
        noticeJump(now);
        for (HeldLease lease = takeDue(now); lease != null; lease = takeDue(now)) {
            step(lease, now);
        }
    }

    /** Returns the nanoseconds to the next step, or {@link #NOTHING_DUE}. */
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

    /** Runs one step. A failure, for instance because no thread can be started, must not stop the steps of other leases. */
    private void step(HeldLease lease, Moment now) {
        try {
            lease.step(now);
        } catch (Exception | Error e) {
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

    /** Stops, and returns the leases that were held. */
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
            lastLook = now;
            long byWall = (now.wallMillis() - lastJump.wallMillis()) * 1_000_000;
            long gained = byWall - (now.nanos() - lastJump.nanos());
            if (gained > LeaseDeadline.JUMP_NANOS) {
                held.makeDueBy(now.nanos());
            }
            if (gained > LeaseDeadline.JUMP_NANOS || gained < 0) {
                lastJump = now;
            }
        } finally {
            lock.unlock();
        }
    }

    /** When the clocks were last compared, at most a second ago while a lease is held. */
    Moment lastLook() {
        return lastLook;
    }

    /** Takes one due lease at a time, so that after a failure all others are still scheduled. */
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

    /** Wakes the thread if it would wake too late. Waking too early is harmless. */
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
                // this thread is private and ends by close()
            } catch (RuntimeException
                    | Error e) { // for instance, short of memory for a moment: leases depend on this thread
                failed = true;
                logQuietly(e);
            }
        }
    }

    private static void logQuietly(Throwable failure) {
        try {
            LOG.log(Level.ERROR, "the watch over leases failed and continues", failure);
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
            return closed ? 0 : nanos; // the wake of close() can have ended a wait for the lock
        } finally {
            lock.unlock();
        }
    }
}
