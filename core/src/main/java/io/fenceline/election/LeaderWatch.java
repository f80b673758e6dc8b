package io.fenceline.election;

import io.fenceline.BackendException;
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
        Optional<LeaderView> told = Optional.empty();
        boolean first = true;
        boolean unknown = false;
        try {
            while (!closed) {
                try {
                    Optional<LeaderView> leader = Election.leader(locks, group);
                    if (first || !leader.equals(told)) {
                        first = false;
                        told = leader;
                        tell(() -> observer.onLeader(leader));
                    }
                    unknown = false;
                } catch (BackendException e) {
                    if (!unknown) {
                        tell(() -> observer.onUnknown(e));
                    }
                    unknown = true;
                }
                delays.park(PAUSE.toNanos());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(Runnable call) {
        if (!closed) {
            try {
                call.run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "an observer of group '" + group + "' failed; the watch goes on", e);
            }
        }
    }

    /** Ends the watching. No call begins after this returned. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
