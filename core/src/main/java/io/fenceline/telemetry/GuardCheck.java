package io.fenceline.telemetry;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import org.jspecify.annotations.Nullable;

/**
 * Emits the events of one guarded write or claim: {@link LockEvent.GuardAsked} at the beginning, {@link LockEvent.GuardAnswered} when
 * closed. For guards:
 *
 * <pre>{@code
 * try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.WRITE, resource, stamp)) {
 *     return check.accepted(decideAndWrite());
 * }
 * }</pre>
 *
 * <p>No cost without listeners.
 */
public final class GuardCheck implements AutoCloseable {

    /** No-op check, used when no listener is registered. */
    public static final GuardCheck NO_OP = new GuardCheck(LockListeners.NONE, null);

    private final LockListeners listeners;
    private final LockEvent.@Nullable GuardAsked asked;
    private boolean accepted;

    private GuardCheck(LockListeners listeners, LockEvent.@Nullable GuardAsked asked) {
        this.listeners = listeners;
        this.asked = asked;
    }

    /**
     * Emits {@link LockEvent.GuardAsked}.
     *
     * @param listeners the listeners
     * @param act write or claim
     * @param resource the resource
     * @param presented the writer's stamp
     * @return the check, to be closed by the same thread
     */
    public static GuardCheck begin(LockListeners listeners, GuardAct act, String resource, FenceStamp presented) {
        requireNonNull(presented, "stamp");
        if (!listeners.isOn()) {
            return NO_OP;
        }
        LockEvent.GuardAsked asked = new LockEvent.GuardAsked(resource, presented, act);
        listeners.emit(asked);
        return new GuardCheck(listeners, asked);
    }

    /**
     * Marks the check as accepted and completed.
     *
     * @param <T> the result's type
     * @param result the result
     * @return the result
     */
    public <T> T accepted(T result) {
        accepted();
        return result;
    }

    /** Marks the check as accepted and completed. */
    public void accepted() {
        if (asked != null) {
            accepted = true;
        }
    }

    /** Emits {@link LockEvent.GuardAnswered}. */
    @Override
    public void close() {
        if (asked != null) {
            listeners.emit(new LockEvent.GuardAnswered(asked.resource(), asked.presented(), asked.act(), accepted));
        }
    }
}
