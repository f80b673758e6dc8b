package io.fenceline.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListeners;

/** A guard's decision about a stamp. */
public sealed interface Verdict {

    /** The stamp is not older than what the guard has seen. */
    record Accepted() implements Verdict {

        @Override
        public void orThrow(String resource, FenceStamp presented, LockListeners listeners) {}
    }

    /**
     * The token is below the greatest one; or equal to it, where each grant writes once and this one has.
     *
     * @param highest the greatest token that wrote or claimed
     */
    record Stale(FencingToken highest) implements Verdict {

        @Override
        public void orThrow(String resource, FenceStamp presented, LockListeners listeners) {
            if (listeners.isOn()) {
                listeners.emit(new LockEvent.StaleRefused(resource, presented, highest));
            }
            throw new StaleTokenException(resource, presented, highest);
        }
    }

    /**
     * The resource belongs to another lock key, whose tokens cannot be compared with this one.
     *
     * @param owner the key whose holders may write
     */
    record Foreign(LockKey owner) implements Verdict {

        @Override
        public void orThrow(String resource, FenceStamp presented, LockListeners listeners) {
            if (listeners.isOn()) {
                listeners.emit(new LockEvent.ForeignRefused(resource, presented, owner));
            }
            throw new ForeignTokenException(resource, presented, owner);
        }
    }

    /**
     * Does nothing if the stamp is accepted; else tells the listeners and throws. For guards.
     *
     * @param resource what was to be written
     * @param presented the writer's stamp
     * @param listeners told of the refusal
     * @throws StaleTokenException if the token is stale
     * @throws ForeignTokenException if the resource belongs to another key
     */
    void orThrow(String resource, FenceStamp presented, LockListeners listeners);

    /**
     * Tells whether the stamp is accepted.
     *
     * @return whether a write would be made
     */
    default boolean isAccepted() {
        return this instanceof Accepted;
    }
}
