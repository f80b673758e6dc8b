package io.fenceline.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs renewals on threads that may block, nearest deadline first. Calls to a node that hangs cost no lease on the other nodes.
 *
 * <p>While the store answers, few calls run at a time. A slow call no longer counts, and another thread takes its place.
 * Leases whose last renewal failed go after those whose last one succeeded, and never use all threads: a node that hangs is
 * retried for the same leases again and again. Where the backend extends in bulk, leases that wait for a thread go together.
 *
 * <p>All state is guarded by {@code lock}, which is not held during a renewal. Threads are daemons and end after some idle time.
 */
final class RenewalThreads implements Renewals {

    private static final System.Logger LOG = System.getLogger("io.fenceline");
    private static final String NO_THREAD = "cannot start another thread for renewals";

    /** Maximum of concurrent quick calls. More would only add load to a store that is already slow. */
    static final int MAX_QUICK = 8;

    /** Maximum of threads: enough for some thousand leases of 30 s on a node where each call times out after 2 s. */
    static final int MAX_THREADS = 256;

    /** Maximum of threads for leases whose last renewal failed. */
    static final int MAX_RETRIES = 192;

    /** Maximum of leases in one request. It keeps a single-threaded store busy for less than a millisecond. */
    static final int MAX_BULK = 100;

    /** A call that takes longer than this is slow. */
    static final Duration SLOW = Duration.ofMillis(50);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ThreadFactory factory;
    private final long slowNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Call> fresh = new PriorityQueue<>();
    private final PriorityQueue<Call> retries = new PriorityQueue<>();

    /** Running calls that are not known to be slow. */
    private final ArrayDeque<Call> quick = new ArrayDeque<>(2 * MAX_QUICK);

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

        /** Sequence number, set at the start. */
        private long number;

        Call(HeldLease lease) {
            this.lease = lease;
            this.leaseEndNanos = lease.endNanos();
            this.retry = lease.hasFailedLastRenewal();
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
            } else if (threads < MAX_THREADS) {
                startThreadFor(call);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Starts a thread. If that fails, the call waits for a quick one to return; without a quick one it fails at once. */
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
                Call next = quick.size() < MAX_QUICK ? poll() : null;
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
        return next == null && retriesRunning < MAX_RETRIES ? retries.poll() : next;
    }

    private boolean hasWork() {
        return !fresh.isEmpty() || (!retries.isEmpty() && retriesRunning < MAX_RETRIES);
    }

    private void run(Call call) {
        List<Extensions> leases = withOthers(call);
        call.number = ++started;
        quick.add(call);
        retriesRunning += call.retry ? 1 : 0;
        if (hasWork() && waiting == 0 && threads < MAX_THREADS) {
            startSpare();
        }
        lock.unlock();
        try {
            Extensions.renewAll(leases);
        } catch (Exception | Error e) { // the thread goes on: other leases depend on it
            LOG.log(System.Logger.Level.ERROR, "a renewal failed unexpectedly", e);
        } finally {
            lock.lock();
            quick.remove(call);
            retriesRunning -= call.retry ? 1 : 0;
        }
    }

    /** Returns the lease of a call, and those of waiting calls that can be sent with it. Retries go alone: a lease may be why a request hung. */
    private List<Extensions> withOthers(Call call) {
        if (call.retry || fresh.isEmpty() || !call.lease.extensions().areSentInBulk()) {
            return List.of(call.lease.extensions());
        }
        List<Extensions> leases = new ArrayList<>();
        leases.add(call.lease.extensions());
        while (leases.size() < MAX_BULK && !fresh.isEmpty()) {
            leases.add(fresh.remove().lease.extensions());
        }
        return leases;
    }

    /** Starts a thread that notices if this call is slow. If none can be started, the next thread that returns does it. */
    private void startSpare() {
        try {
            startThread();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.DEBUG, NO_THREAD, e);
        }
    }

    /** Waits for work. Returns false if the thread is no longer needed. */
    private boolean awaitWork() {
        waiting++;
        try {
            return hasWork() ? awaitRoom() : awaitCall();
        } catch (InterruptedException e) {
            return true; // this thread is private; a stray interrupt is ignored
        } finally {
            waiting--;
        }
    }

    /** Waits until a call has returned, or until all running calls have proved to be slow. */
    private boolean awaitRoom() throws InterruptedException {
        long last = started;
        long left = slowNanos;
        while (quick.size() >= MAX_QUICK && left > 0) {
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
