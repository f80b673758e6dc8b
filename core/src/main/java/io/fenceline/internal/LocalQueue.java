package io.fenceline.internal;

import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.spi.Acquisition;
import io.fenceline.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lines in which the threads of this process stand, one for each key that any of them wants or holds: first come, first
 * served, and only the one whose turn it is asks the backend.
 *
 * <p>A line exists exactly as long as somebody has the turn. It is a lone {@link Turn} until a second thread comes, and a
 * {@link Crowd} from then on. Lines change only by atomic operations of the map, which is what orders a newcomer against the
 * turn's end. A thread that gives up while it is handed the turn passes it on.
 */
final class LocalQueue {

    /** How long a process may pass a lock on among its threads before it looks whether another one waits. */
    private static final long TENURE_NANOS = 50_000_000;

    private final ConcurrentHashMap<LockKey, Line> lines = new ConcurrentHashMap<>();
    private final TimeSource time;

    LocalQueue(TimeSource time) {
        this.time = time;
    }

    /** Takes the turn if nobody has it or waits for it. */
    @Nullable
    Turn tryEnter(LockKey key) {
        Turn turn = new Turn(key, Thread.currentThread());
        return lines.putIfAbsent(key, turn) == null ? turn : null;
    }

    /**
     * Stands in line until it is this thread's turn.
     *
     * @param bid what the one in front may ask for on our behalf
     * @return the turn, or null if it did not come before the end of the bid's wait
     */
    @Nullable
    Turn enter(Bid bid) throws InterruptedException {
        Turn turn = new Turn(bid.key(), Thread.currentThread());
        turn.bid = bid;
        lines.compute(bid.key(), (k, line) -> {
            if (line == null) {
                turn.come = true;
                return turn;
            }
            return line.joinedBy(turn);
        });
        try {
            while (!turn.come) {
                long left = bid.giveUpAt() - time.ticker().nanos();
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
            Thread.currentThread().interrupt(); // with the turn there may be a lock to give back
            return turn;
        }
    }

    /** Says who has the lock in this process, if that is known. */
    Optional<Holder> holder(LockKey key) {
        Line line = lines.get(key);
        return line == null ? Optional.empty() : Optional.ofNullable(line.head().holder);
    }

    /** Leaves the line before the turn has come; answers false if it came meanwhile. */
    private boolean quit(Turn turn) {
        lines.computeIfPresent(turn.key, (k, line) -> {
            if (!turn.come && line instanceof Crowd crowd) {
                crowd.waiting.remove(turn);
            }
            return line;
        });
        return !turn.come;
    }

    /**
     * The backend's reply to an attempt that was made for the next in line.
     *
     * @param asked when
     * @param outcome what it said; null if that is not known
     */
    record Answer(Moment asked, @Nullable Acquisition outcome) {

        boolean mayHaveLeftATrace() {
            return !(outcome instanceof Acquisition.Contended contended) || contended.queued();
        }
    }

    private sealed interface Line {

        Turn head();

        Line joinedBy(Turn turn);
    }

    /** The right to ask the backend for one key. Held until {@link #leave}, from acquiring to the lease's end. */
    final class Turn implements Line {
        private final LockKey key;
        private final Thread thread;
        private volatile boolean come;

        /** Whether anybody stands behind, or stood there since the turn came. */
        private volatile boolean followed;

        /** What it waits for in line, and the answer that it was handed with the turn. Written before {@code come}. */
        private @Nullable Bid bid;

        private @Nullable Answer answer;

        /** How long the lock is to stay free first. Written before {@code come}. */
        private long pauseNanos;

        /** Since when threads of this process pass the lock on, and whether they did up to this turn. */
        private long tenureBegan;

        private boolean inTenure;

        /** How many had the lock in this process one after the other, up to this one, and how many may. */
        private int served;

        private int share;

        /** For messages only, so it need not be volatile; a holder is immutable. */
        private @Nullable Holder holder;

        private Turn(LockKey key, Thread thread) {
            this.key = key;
            this.thread = thread;
        }

        /**
         * Tells those behind who got the lock.
         *
         * @param atOnce whether the first attempt got it, so that no other process had it in between
         */
        void heldBy(Holder holder, boolean atOnce, long now) {
            this.holder = holder;
            if (!inTenure || !atOnce) {
                tenureBegan = now;
            }
        }

        /** Returns the answer that was handed over with the turn; null if the turn came alone. */
        @Nullable
        Answer answer() {
            return answer;
        }

        /** Returns how long to leave the lock to other processes before the first attempt; 0 if they had their chance. */
        long pauseNanos() {
            return pauseNanos;
        }

        Bid bid() {
            return Objects.requireNonNull(bid);
        }

        /** Passes the turn to the next in line. Called once. */
        void leave() {
            leave(0);
        }

        /** Passes the turn to the next in line, who is to leave the lock to other processes for a while. Called once. */
        void leave(long pauseNanos) {
            if (!lines.remove(key, this)) {
                lines.computeIfPresent(key, (k, line) -> {
                    Crowd crowd = (Crowd) line;
                    if (crowd.waiting.isEmpty()) {
                        return null;
                    }
                    Turn next = crowd.waiting.element();
                    next.pauseNanos = pauseNanos;
                    next.inTenure = holder != null && pauseNanos == 0;
                    next.tenureBegan = tenureBegan;
                    return crowd.advanced();
                });
            }
        }

        /** Whether threads of this process have passed the lock on for so long that it is time to look if other processes wait. */
        boolean isTenureOver() {
            long now = time.ticker().nanos();
            if (!followed || now - tenureBegan < TENURE_NANOS) {
                return false;
            }
            tenureBegan = now;
            return true;
        }

        /** Says who is next in line now, if anybody is. It may give up at any time. */
        @Nullable
        Turn successor() {
            if (!followed) {
                return null;
            }
            Turn[] next = new Turn[1];
            lines.computeIfPresent(key, (k, line) -> {
                if (line instanceof Crowd crowd) {
                    next[0] = crowd.waiting.peek();
                    if (served == 0) {
                        share = crowd.waiting.size();
                    }
                }
                return line;
            });
            return next[0];
        }

        /** Whether all who stood in line when this process got the lock have had it. */
        boolean hasHadItsShare() {
            return served >= share;
        }

        /** Passes the turn and an answer to a successor; answers false, and does nothing, if that one gave up. */
        boolean leaveTo(Turn successor, Answer given) {
            lines.computeIfPresent(key, (k, line) -> {
                Crowd crowd = (Crowd) line;
                if (crowd.waiting.peek() == successor) {
                    successor.answer = given;
                    successor.share = share;
                    successor.served = hasHadItsShare() ? 0 : served + 1;
                    crowd.advanced();
                }
                return crowd;
            });
            return successor.come;
        }

        @Override
        public Turn head() {
            return this;
        }

        @Override
        public Line joinedBy(Turn turn) {
            followed = true;
            return new Crowd(this, turn);
        }
    }

    /** One that has the turn, and others behind. */
    private final class Crowd implements Line {
        private volatile Turn head;
        private final ArrayDeque<Turn> waiting = new ArrayDeque<>();

        private Crowd(Turn head, Turn second) {
            this.head = head;
            waiting.add(second);
        }

        @Override
        public Turn head() {
            return head;
        }

        @Override
        public Line joinedBy(Turn turn) {
            head.followed = true;
            waiting.add(turn);
            return this;
        }

        /** Gives the turn to the first who waits. */
        private Crowd advanced() {
            head = waiting.remove();
            head.followed = !waiting.isEmpty();
            head.come = true;
            time.delays().wake(head.thread);
            return this;
        }
    }
}
