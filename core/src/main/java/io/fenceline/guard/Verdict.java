package io.fenceline.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListeners;

/** A guard's decision about a stamp. */
public sealed interface Verdict {

    /** The stamp is accepted. */
    record Accepted() implements Verdict {

        @Override
        public void orThrow(String resource, FenceStamp presented, LockListeners listeners) {}
    }

    /**
     * The token is smaller than the greatest one; or equal to it, under {@link FenceRule#ONCE} after a write.
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
     * Throws unless the stamp is accepted, after calling the listeners. For guards.
     *
     * @param resource the resource
     * @param presented the writer's stamp
     * @param listeners called on a refusal
     * @throws StaleTokenException if the token is stale
     * @throws ForeignTokenException if the resource belongs to another key
     */
    void orThrow(String resource, FenceStamp presented, LockListeners listeners);

    /**
     * Returns whether the stamp is accepted.
     *
     * @return whether a write would be made
     */
    default boolean isAccepted() {
        return this instanceof Accepted;
    }
}
