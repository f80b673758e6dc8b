package io.fenceline.election;

import static java.util.Objects.requireNonNull;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Locks;
import io.fenceline.time.Delays;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/** Polls the leader every second and reports changes. Several changes within a second may be reported as one. */
public final class LeaderWatch implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.fenceline");
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Locks locks;
    private final String group;
    private final LeaderObserver observer;
    private final Delays delays;
    private final Thread thread;
    private volatile boolean closed;

    /** The leader that was reported last. This and the next two fields are confined to the watch thread. */
    private Optional<LeaderView> reported = Optional.empty();

    private boolean known;
    private boolean outage;

    private LeaderWatch(Locks locks, String group, LeaderObserver observer) {
        this.locks = locks;
        this.group = group;
        this.observer = requireNonNull(observer, "observer");
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
            poll();
            try {
                if (!closed) {
                    delays.park(PAUSE.toNanos());
                }
            } catch (InterruptedException e) {
                // closed: the loop checks its condition
            }
        }
    }

    /** Polls once. The watch continues whatever the store throws. */
    private void poll() {
        try {
            Optional<LeaderView> leader = Election.leader(locks, group);
            if (!known || !leader.equals(reported)) {
                reported = leader;
                call(() -> observer.onLeader(leader));
            }
            known = true;
            outage = false;
        } catch (BackendException e) {
            reportOutage(e);
        } catch (Exception | Error e) {
            reportOutage(new BackendException(
                    ErrorCode.INTERNAL, Effect.NONE, "the backend failed to return the leader", e));
        }
    }

    private void reportOutage(BackendException failure) {
        known = false;
        if (!outage) {
            outage = true;
            call(() -> observer.onUnknown(failure));
        }
    }

    /** Calls the observer, and clears an interrupt that would disturb the next poll. */
    private void call(Runnable observation) {
        if (!closed) {
            try {
                observation.run();
            } catch (Exception | Error e) {
                LOG.log(Level.WARNING, "an observer of group '" + group + "' failed; the watch continues", e);
            } finally {
                Thread.interrupted();
            }
        }
    }

    /** Ends the watch. Does not wait: a running call of the observer continues, and one more may still begin. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
