package io.fenceline.telemetry;

import io.fenceline.FenceStamp;
import org.jspecify.annotations.Nullable;

/**
 * One question to a guard, as its listeners see it: {@link LockEvent.GuardAsked} when it begins, {@link LockEvent.GuardAnswered}
 * when it is closed. For guards:
 *
 * <pre>{@code
 * try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.WRITE, resource, stamp)) {
 *     return check.accepted(decideAndWrite());
 * }
 * }</pre>
 *
 * <p>Costs nothing while nobody listens.
 */
public final class GuardCheck implements AutoCloseable {

    /** A question that nobody hears of. */
    public static final GuardCheck UNHEARD = new GuardCheck(LockListeners.NONE, null);

    private final LockListeners listeners;
    private final LockEvent.@Nullable GuardAsked asked;
    private boolean accepted;

    private GuardCheck(LockListeners listeners, LockEvent.@Nullable GuardAsked asked) {
        this.listeners = listeners;
        this.asked = asked;
    }

    /**
     * Tells that a guard is asked.
     *
     * @param listeners told of it and of the answer
     * @param act what the guard is asked for
     * @param resource what is to be written or claimed
     * @param presented the writer's stamp
     * @return to be closed by the same thread when the answer is known
     */
    public static GuardCheck begin(LockListeners listeners, GuardAct act, String resource, FenceStamp presented) {
        if (!listeners.isOn()) {
            return UNHEARD;
        }
        LockEvent.GuardAsked asked = new LockEvent.GuardAsked(resource, presented, act);
        listeners.emit(asked);
        return new GuardCheck(listeners, asked);
    }

    /**
     * Notes that the guard accepted, and that all is done.
     *
     * @param <T> the result's type
     * @param result what came of it
     * @return the result
     */
    public <T> T accepted(T result) {
        accepted();
        return result;
    }

    /** Notes that the guard accepted, and that all is done. */
    public void accepted() {
        if (asked != null) {
            accepted = true;
        }
    }

    /** Tells the answer: accepted, if that was noted. */
    @Override
    public void close() {
        if (asked != null) {
            listeners.emit(new LockEvent.GuardAnswered(asked.resource(), asked.presented(), asked.act(), accepted));
        }
    }
}
