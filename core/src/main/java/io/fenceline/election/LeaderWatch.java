package io.fenceline.election;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Locks;
import io.fenceline.time.Delays;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/** Asks the store every second who leads, and tells of changes. Two changes within a second may be told as one. */
public final class LeaderWatch implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.fenceline");
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Locks locks;
    private final String group;
    private final LeaderObserver observer;
    private final Delays delays;
    private final Thread thread;
    private volatile boolean closed;

    /** The leader that the observer was told of last. This and the next two fields belong to the watch thread. */
    private Optional<LeaderView> told = Optional.empty();

    private boolean known;
    private boolean outage;

    private LeaderWatch(Locks locks, String group, LeaderObserver observer) {
        this.locks = locks;
        this.group = group;
        this.observer = observer;
        this.delays = locks.time().delays();
        this.thread = new Thread(this::watch, "fenceline-watch-" + group);
        thread.setDaemon(true);
    }

    static LeaderWatch start(Locks locks, String group, LeaderObserver observer) {
        Election.keyOf(group);
        LeaderWatch watch = new LeaderWatch(locks, group, observer);
        watch.thread.start();
        return watch;
    }

    private void watch() {
        while (!closed) {
            look();
            try {
                if (!closed) {
                    delays.park(PAUSE.toNanos());
                }
            } catch (InterruptedException e) {
                // closed; the loop's condition knows
            }
        }
    }

    /** Whatever the store throws, the watch goes on: nobody would begin another. */
    private void look() {
        try {
            Optional<LeaderView> leader = Election.leader(locks, group);
            if (!known || !leader.equals(told)) {
                told = leader;
                tell(() -> observer.onLeader(leader));
            }
            known = true;
            outage = false;
        } catch (BackendException e) {
            cannotTell(e);
        } catch (RuntimeException | Error e) {
            cannotTell(new BackendException(ErrorCode.INTERNAL, Effect.NONE, "the backend failed to say who leads", e));
        }
    }

    private void cannotTell(BackendException failure) {
        known = false;
        if (!outage) {
            outage = true;
            tell(() -> observer.onUnknown(failure));
        }
    }

    /** Leaves no interrupt behind: it would disturb the next question. */
    private void tell(Runnable call) {
        if (!closed) {
            try {
                call.run();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "an observer of group '" + group + "' failed; the watch goes on", e);
            } finally {
                Thread.interrupted();
            }
        }
    }

    /** Ends the watching. Does not wait: a call that is under way goes on, and one that was about to begin may still be made. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
