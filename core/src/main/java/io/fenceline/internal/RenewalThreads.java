package io.fenceline.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs renewals on threads that may block, nearest deadline first, so that calls into a part of the store that hangs cost no
 * lease that is kept elsewhere.
 *
 * <p>While the store answers, few calls run at a time. A slow call is no longer counted, and another
 * thread takes its place. Leases whose last renewal failed wait for those whose last one succeeded, and never use all threads: a
 * part of the store that hangs is asked for the same leases again and again.
 *
 * <p>All state is guarded by {@code lock}, which is not held while a lease is renewed. Threads are daemons and end when they
 * have been idle for a while.
 */
final class RenewalThreads implements Renewals {

    private static final System.Logger LOG = System.getLogger("io.fenceline");
    private static final String NO_THREAD = "no further thread for renewals can be started";

    /** More quick calls than this at a time would only press harder on a store that is already slow. */
    static final int MOST_QUICK = 8;

    /** Threads altogether: enough for some thousand leases of 30 s on a node that answers nothing for 2 s each. */
    static final int MOST = 256;

    /** Threads that renew leases whose last renewal failed. */
    static final int MOST_RETRIES = 192;

    /** A call that takes longer than this is slow. */
    static final Duration SLOW = Duration.ofMillis(50);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ThreadFactory factory;
    private final long slowNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Call> fresh = new PriorityQueue<>();
    private final PriorityQueue<Call> retries = new PriorityQueue<>();

    /** The running calls that are not known to be slow. */
    private final ArrayDeque<Call> quick = new ArrayDeque<>(2 * MOST_QUICK);

    private int threads;
    private int waiting;
    private int retriesRunning;
    private long started;
    private boolean closed;

    RenewalThreads(ThreadFactory factory, Duration slow) {
        this.factory = factory;
        this.slowNanos = slow.toNanos();
    }

    private static final class Call implements Comparable<Call> {
        private final HeldLease lease;
        private final long leaseEndNanos;
        private final boolean retry;

        /** Grows from call to call; set when it starts. */
        private long number;

        Call(HeldLease lease) {
            this.lease = lease;
            this.leaseEndNanos = lease.endNanos();
            this.retry = lease.isInTrouble();
        }

        @Override
        public int compareTo(Call other) {
            return Long.signum(leaseEndNanos - other.leaseEndNanos);
        }
    }

    @Override
    public void start(HeldLease lease) {
        Call call = new Call(lease);
        lock.lock();
        try {
            if (closed) {
                throw new RejectedExecutionException("these locks are closed");
            }
            (call.retry ? retries : fresh).add(call);
            if (waiting > 0) {
                changed.signal();
            } else if (threads < MOST) {
                startThreadFor(call);
            }
        } finally {
            lock.unlock();
        }
    }

    /** If no thread can be started, the call waits for a quick one to return. If there is none, it fails at once. */
    private void startThreadFor(Call call) {
        try {
            startThread();
        } catch (RuntimeException | Error e) {
            if (quick.isEmpty()) {
                (call.retry ? retries : fresh).remove(call);
                throw e;
            }
            LOG.log(System.Logger.Level.DEBUG, NO_THREAD, e);
        }
    }

    private void startThread() {
        factory.newThread(this::work).start();
        threads++;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        lock.lock();
        try {
            while (true) {
                Call next = quick.size() < MOST_QUICK ? poll() : null;
                if (next != null) {
                    run(next);
                } else if (!awaitWork()) {
                    return;
                }
            }
        } finally {
            threads--;
            lock.unlock();
        }
    }

    private @Nullable Call poll() {
        Call next = fresh.poll();
        return next == null && retriesRunning < MOST_RETRIES ? retries.poll() : next;
    }

    private boolean hasWork() {
        return !fresh.isEmpty() || (!retries.isEmpty() && retriesRunning < MOST_RETRIES);
    }

    private void run(Call call) {
        call.number = ++started;
        quick.add(call);
        retriesRunning += call.retry ? 1 : 0;
        if (hasWork() && waiting == 0 && threads < MOST) {
            startSpare();
        }
        lock.unlock();
        try {
            call.lease.renew();
        } catch (RuntimeException | Error e) { // the thread goes on; others depend on it
            LOG.log(System.Logger.Level.ERROR, "a renewal failed in a way that it does not know", e);
        } finally {
            lock.lock();
            quick.remove(call);
            retriesRunning -= call.retry ? 1 : 0;
        }
    }

    /** A thread that looks whether this call is slow, if one can be started; the next that returns comes to it otherwise. */
    private void startSpare() {
        try {
            startThread();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.DEBUG, NO_THREAD, e);
        }
    }

    /** Waits until there may be something to do; answers false if the thread is not needed any more. */
    private boolean awaitWork() {
        waiting++;
        try {
            return hasWork() ? awaitRoom() : awaitCall();
        } catch (InterruptedException e) {
            return true; // nobody but us knows this thread
        } finally {
            waiting--;
        }
    }

    /** Waits until a call has returned, or until all that run now have proved to be slow. */
    private boolean awaitRoom() throws InterruptedException {
        long last = started;
        long left = slowNanos;
        while (quick.size() >= MOST_QUICK && left > 0) {
            left = changed.awaitNanos(left);
        }
        if (left <= 0) {
            quick.removeIf(call -> call.number <= last);
        }
        return true;
    }

    private boolean awaitCall() throws InterruptedException {
        long left = IDLE_NANOS;
        while (!hasWork() && !closed && left > 0) {
            left = changed.awaitNanos(left);
        }
        return hasWork();
    }
}
