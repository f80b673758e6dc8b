package io.fenceline.internal;

import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.time.TimeSource;
import java.util.ArrayDeque;
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
     * @return the turn, or null if it did not come before the ticker reached {@code giveUpAt}
     */
    @Nullable
    Turn enter(LockKey key, long giveUpAt) throws InterruptedException {
        Turn turn = new Turn(key, Thread.currentThread());
        lines.compute(key, (k, line) -> {
            if (line == null) {
                turn.come = true;
                return turn;
            }
            return line.joinedBy(turn);
        });
        try {
            while (!turn.come) {
                long left = giveUpAt - time.ticker().nanos();
                if (left <= 0) {
                    return quit(turn) ? null : turn;
                }
                time.delays().park(left);
            }
            return turn;
        } catch (InterruptedException e) {
            if (!quit(turn)) {
                turn.leave();
            }
            throw e;
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

    private sealed interface Line {

        Turn head();

        Line joinedBy(Turn turn);
    }

    /** The right to ask the backend for one key. Held until {@link #leave}, from acquiring to the lease's end. */
    final class Turn implements Line {
        private final LockKey key;
        private final Thread thread;
        private volatile boolean come;

        /** For messages only, so it need not be volatile; a holder is immutable. */
        private @Nullable Holder holder;

        private Turn(LockKey key, Thread thread) {
            this.key = key;
            this.thread = thread;
        }

        /** Tells those behind who got the lock. */
        void heldBy(Holder holder) {
            this.holder = holder;
        }

        /** Passes the turn to the next in line. Called once. */
        void leave() {
            if (lines.remove(key, this)) {
                return; // nobody had come
            }
            lines.computeIfPresent(key, (k, line) -> {
                Crowd crowd = (Crowd) line;
                Turn next = crowd.waiting.poll();
                if (next == null) {
                    return null;
                }
                crowd.head = next;
                next.come = true;
                time.delays().wake(next.thread);
                return crowd;
            });
        }

        @Override
        public Turn head() {
            return this;
        }

        @Override
        public Line joinedBy(Turn turn) {
            return new Crowd(this, turn);
        }
    }

    /** One that has the turn, and others behind. */
    private static final class Crowd implements Line {
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
            waiting.add(turn);
            return this;
        }
    }
}
