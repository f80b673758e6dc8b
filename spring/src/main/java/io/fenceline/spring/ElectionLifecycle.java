package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.RevocationReason;
import io.fenceline.election.Election;
import io.fenceline.election.ElectionBuilder;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Takes part in an election while the application runs, and publishes {@link LeaderElected} and {@link LeaderRevoked}. It joins after the
 * web server has started, and steps down before everything else stops.
 */
public final class ElectionLifecycle implements SmartLifecycle {

    /** The phase of elections: after web servers have started, and before listeners of messages. */
    public static final int PHASE = Integer.MAX_VALUE - 1000;

    private final String group;
    private final ElectionBuilder builder;
    private final ApplicationEventPublisher events;
    private volatile @Nullable Election election;

    /**
     * Creates a candidate that has not joined yet.
     *
     * @param group the group's name
     * @param builder of the same group's election
     * @param events of the application
     */
    public ElectionLifecycle(String group, ElectionBuilder builder, ApplicationEventPublisher events) {
        this.group = requireNonNull(group, "group");
        this.builder = requireNonNull(builder, "builder");
        this.events = requireNonNull(events, "events");
    }

    /**
     * Returns the group.
     *
     * @return its name
     */
    public String group() {
        return group;
    }

    /**
     * Returns the leadership of this process. Does no I/O.
     *
     * @return the term, or empty if this process does not lead
     */
    public Optional<Leadership> leadership() {
        Election current = election;
        return current == null ? Optional.empty() : current.leadership();
    }

    @Override
    public synchronized void start() {
        if (election != null) {
            return;
        }
        election = builder.join(new LeadershipListener() {
            @Override
            public void onElected(Leadership leadership) {
                events.publishEvent(new LeaderElected(leadership));
            }

            @Override
            public void onRevoked(Leadership leadership, RevocationReason reason) {
                events.publishEvent(new LeaderRevoked(leadership, reason));
            }
        });
    }

    @Override
    public synchronized void stop() {
        Election current = election;
        if (current != null) {
            current.close();
            election = null;
        }
    }

    /** Steps down beside the other components of this phase. */
    @Override
    public void stop(Runnable callback) {
        new Thread(
                        () -> {
                            try {
                                stop();
                            } finally {
                                callback.run();
                            }
                        },
                        "fenceline-election-" + group + "-stop")
                .start();
    }

    @Override
    public boolean isRunning() {
        return election != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
