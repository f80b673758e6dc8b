package io.fenceline.election;

import io.fenceline.BackendException;
import java.util.Optional;

/** Observes the leader of a group. Called on one thread of the watch; its exceptions are logged and ignored. */
@FunctionalInterface
public interface LeaderObserver {

    /**
     * Called when the leader or its term has changed, or is known again after {@link #onUnknown}.
     *
     * @param leader the leader, or empty if there is none
     */
    void onLeader(Optional<LeaderView> leader);

    /**
     * Called once for each outage of the store, during which the leader is not known; {@link #onLeader} always follows. No-op by
     * default.
     *
     * @param failure the failure
     */
    default void onUnknown(BackendException failure) {}
}
