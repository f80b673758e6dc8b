package io.fenceline.election;

import io.fenceline.BackendException;
import java.util.Optional;

/** Told who leads. Called on one thread of the watch; what it throws is logged and dropped. */
@FunctionalInterface
public interface LeaderObserver {

    /**
     * The leader or its term is another than before, or is known again after {@link #onUnknown}.
     *
     * @param leader the leader, or empty if there is none
     */
    void onLeader(Optional<LeaderView> leader);

    /**
     * The store cannot be asked for the moment, so who leads is not known. Told once for each outage, after which {@link #onLeader}
     * is told in any case; does nothing by default.
     *
     * @param failure what the store said
     */
    default void onUnknown(BackendException failure) {}
}
