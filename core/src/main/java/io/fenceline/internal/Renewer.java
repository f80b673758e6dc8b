package io.fenceline.internal;

import io.fenceline.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
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
        for (HeldLease lease : takeDue(now)) {
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
    private static void step(HeldLease lease, Moment now) {
        try {
            lease.step(now);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "a step of " + lease + " failed", e);
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
            return takeWhile(lease -> true);
        } finally {
            lock.unlock();
        }
    }

    private List<HeldLease> takeDue(Moment now) {
        lock.lock();
        try {
            long wallAhead = wallAhead(now);
            boolean jumped = wallAhead - wallAheadMillis > JUMP_MILLIS;
            wallAheadMillis = wallAhead;
            return takeWhile(lease -> jumped || lease.dueNanos - now.nanos() <= 0);
        } finally {
            lock.unlock();
        }
    }

    private List<HeldLease> takeWhile(Predicate<HeldLease> condition) {
        List<HeldLease> taken = new ArrayList<>();
        for (HeldLease first = held.first(); first != null && condition.test(first); first = held.first()) {
            held.remove(first);
            taken.add(first);
        }
        return taken;
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
        while (!closed) {
            runDue();
            try {
                time.delays().park(planNextWake());
            } catch (InterruptedException ignored) {
                // nobody but us knows this thread; it ends by close()
            }
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
