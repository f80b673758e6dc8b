package io.fenceline.internal;

import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Per-key FIFO wait queues of this JVM's threads. Only the thread whose turn it is asks the backend.
 *
 * <p>A queue exists while a thread has the turn. It is a lone {@link Turn} until a second thread comes, and a {@link
 * ContendedQueue} from then on. Queues change only by atomic operations of the map, which order an arriving thread against the
 * end of the turn. A thread that gives up while it is handed the turn passes it on.
 */
final class LocalQueue {

    /** The time for which a process passes a lock on among its threads before it checks for waiters of other processes. */
    private static final long TENURE_NANOS = 50_000_000;

    private final ConcurrentHashMap<LockKey, KeyQueue> queues = new ConcurrentHashMap<>();
    private final TimeSource time;

    /** The same time where the store knows of waiters, so that it need not be asked. */
    private final long longestTenureNanos;

    LocalQueue(TimeSource time, Duration longestTenure) {
        this.time = time;
        this.longestTenureNanos = longestTenure.toNanos();
    }

    /** Takes the turn if the queue is empty. */
    @Nullable
    Turn tryEnter(LockKey key) {
        Turn turn = new Turn(key, Thread.currentThread());
        return queues.putIfAbsent(key, turn) == null ? turn : null;
    }

    /** Waits for this thread's turn. Returns null if it did not come before the end of the wait. */
    @Nullable
    Turn enter(PendingAcquire pending) throws InterruptedException {
        Turn turn = new Turn(pending.key(), Thread.currentThread());
        turn.pending = pending;
        queues.compute(pending.key(), (k, queue) -> {
            if (queue == null) {
                turn.active = true;
                return turn;
            }
            return queue.joinedBy(turn);
        });
        try {
            while (!turn.active) {
                long left = pending.waitEndNanos() - time.ticker().nanos();
                if (left <= 0) {
                    return quit(turn) ? null : turn;
                }
                time.delays().park(left);
            }
            return turn;
        } catch (InterruptedException e) {
            if (quit(turn)) {
                throw e;
            }
            Thread.currentThread().interrupt(); // the turn may come with a grant to give back
            return turn;
        }
    }

    /** Returns the holder of the lock in this process, if known. */
    Optional<Holder> holder(LockKey key) {
        KeyQueue queue = queues.get(key);
        return queue == null ? Optional.empty() : Optional.ofNullable(queue.head().holder);
    }

    /**
     * Wakes the threads that acquire. Returns whether there are any, or threads that release a lease: requests of both may be on their way
     * to the store. The calling thread does not count.
     */
    boolean wakeUnderWay() {
        boolean any = false;
        for (KeyQueue queue : queues.values()) {
            Turn turn = queue.head();
            Thread thread = turn.thread;
            if ((turn.holder == null || turn.leaving) && thread != Thread.currentThread()) {
                any = true;
                if (thread != null) {
                    time.delays().wake(thread);
                }
            }
        }
        return any;
    }

    /** Returns whether the calling thread has the turn, so that it would wait for itself. */
    boolean isOwnTurn(LockKey key) {
        KeyQueue queue = queues.get(key);
        return queue != null && queue.head().thread == Thread.currentThread();
    }

    /** Leaves the queue before the turn comes. Returns false if it came meanwhile. */
    private boolean quit(Turn turn) {
        queues.computeIfPresent(turn.key, (k, queue) -> {
            if (!turn.active && queue instanceof ContendedQueue contended) {
                contended.waiting.remove(turn);
            }
            return queue;
        });
        return !turn.active;
    }

    private sealed interface KeyQueue {

        Turn head();

        KeyQueue joinedBy(Turn turn);
    }

    /** The right to ask the backend for one key. Held until {@link #leave}: while acquiring and while holding the lease. */
    final class Turn implements KeyQueue {
        private final LockKey key;

        /** Null once the lease is another thread's; then for messages only. Others read it like {@link #holder}. */
        private @Nullable Thread thread;

        private volatile boolean active;

        /** True if other threads wait behind this turn, or did since it became active. */
        private volatile boolean hadWaiters;

        /** The acquisition that waits, which the previous holder may send, and the reply that came with the turn. Written before {@code active}. */
        private @Nullable PendingAcquire pending;

        private @Nullable ForwardedReply forwarded;

        /** The time for which the lock stays free first. Written before {@code active}. */
        private long pauseNanos;

        /** The start of the time in which threads of this process pass the lock on, and whether they did up to this turn. */
        private long tenureBegan;

        private boolean inTenure;

        /** What the lease that is held belongs to, or null. */
        private @Nullable Cohort cohort;

        /** Null while acquiring. For messages, and for {@link #wakeUnderWay}, which looks again; so it need not be volatile. */
        private @Nullable Holder holder;

        /** True from the release of the lease on. Others read it like {@link #holder}. */
        private boolean leaving;

        private Turn(LockKey key, Thread thread) {
            this.key = key;
            this.thread = thread;
        }

        /**
         * Records the holder, for those who wait.
         *
         * @param atOnce whether the first attempt was granted, so that no other process had the lock in between
         */
        void heldBy(Holder holder, @Nullable Cohort cohort, boolean atOnce, long now) {
            this.holder = holder;
            this.cohort = cohort;
            if (!inTenure || !atOnce) {
                tenureBegan = now;
            }
        }

        /** The calling thread releases the lease, and passes the turn on afterwards. */
        void leaveBegins() {
            thread = Thread.currentThread();
            leaving = true;
        }

        /** The lease will be used by a thread that is not known. */
        void leavesThread() {
            thread = null;
        }

        LockKey key() {
            return key;
        }

        /** Returns the reply that was handed over with the turn, or null. */
        @Nullable
        ForwardedReply forwarded() {
            return forwarded;
        }

        /** Returns the time for which to leave the lock to other processes before the first attempt. */
        long pauseNanos() {
            return pauseNanos;
        }

        PendingAcquire pending() {
            return Objects.requireNonNull(pending);
        }

        @Nullable
        Cohort cohort() {
            return cohort;
        }

        /** Passes the turn to the next waiter. Called once. */
        void leave() {
            leave(0);
        }

        /** Passes the turn to the next waiter, who first leaves the lock to other processes for a while. Called once. */
        void leave(long pauseNanos) {
            if (!queues.remove(key, this)) {
                queues.computeIfPresent(key, (k, queue) -> {
                    ContendedQueue contended = (ContendedQueue) queue;
                    if (contended.waiting.isEmpty()) {
                        return null;
                    }
                    Turn next = contended.waiting.element();
                    next.pauseNanos = pauseNanos;
                    next.inTenure = holder != null && pauseNanos == 0;
                    next.tenureBegan = tenureBegan;
                    return contended.advanced();
                });
            }
        }

        /** Returns whether threads of this process have passed the lock on for so long that others go first. */
        boolean isTenureOver(long now) {
            return now - tenureBegan >= longestTenureNanos;
        }

        /** Returns whether it is time to check for waiters of other processes; then another tenure begins. */
        boolean isCheckDue() {
            long now = time.ticker().nanos();
            if (!hadWaiters || now - tenureBegan < TENURE_NANOS) {
                return false;
            }
            tenureBegan = now;
            return true;
        }

        /** Returns the number of threads that wait behind this turn. */
        int waiting() {
            if (!hadWaiters) {
                return 0;
            }
            int[] number = new int[1];
            queues.computeIfPresent(key, (k, queue) -> {
                number[0] = queue instanceof ContendedQueue contended ? contended.waiting.size() : 0;
                return queue;
            });
            return number[0];
        }

        /** Returns the next waiter, if any. It may give up at any time. */
        @Nullable
        Turn successor() {
            if (!hadWaiters) {
                return null;
            }
            Turn[] next = new Turn[1];
            queues.computeIfPresent(key, (k, queue) -> {
                if (queue instanceof ContendedQueue contended) {
                    next[0] = contended.waiting.peek();
                }
                return queue;
            });
            return next[0];
        }

        /**
         * Passes the turn and a reply to a successor. Returns false, and does nothing, if the successor gave up.
         *
         * @param inTenure whether the successor's lease counts to the present tenure of this process
         */
        boolean leaveTo(Turn successor, ForwardedReply reply, boolean inTenure) {
            queues.computeIfPresent(key, (k, queue) -> {
                ContendedQueue contended = (ContendedQueue) queue;
                if (contended.waiting.peek() == successor) {
                    successor.forwarded = reply;
                    successor.inTenure = inTenure;
                    successor.tenureBegan = tenureBegan;
                    contended.advanced();
                }
                return contended;
            });
            return successor.active;
        }

        @Override
        public Turn head() {
            return this;
        }

        @Override
        public KeyQueue joinedBy(Turn turn) {
            hadWaiters = true;
            return new ContendedQueue(this, turn);
        }
    }

    /** A thread that has the turn, and others that wait. */
    private final class ContendedQueue implements KeyQueue {
        private volatile Turn head;
        private final ArrayDeque<Turn> waiting = new ArrayDeque<>();

        private ContendedQueue(Turn head, Turn second) {
            this.head = head;
            waiting.add(second);
        }

        @Override
        public Turn head() {
            return head;
        }

        @Override
        public KeyQueue joinedBy(Turn turn) {
            head.hadWaiters = true;
            waiting.add(turn);
            return this;
        }

        /** Gives the turn to the first waiter. */
        private ContendedQueue advanced() {
            head = waiting.remove();
            head.hadWaiters = !waiting.isEmpty();
            head.active = true;
            time.delays().wake(Objects.requireNonNull(head.thread));
            return this;
        }
    }
}
