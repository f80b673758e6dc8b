package io.fenceline.telemetry;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger.Level;
import java.util.List;

/**
 * Calls several listeners; their exceptions are logged and ignored. Check {@link #isOn} before creating an event.
 */
public final class LockListeners {

    /** No listener. */
    public static final LockListeners NONE = new LockListeners(List.of());

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private final List<LockListener> listeners;

    /**
     * Creates a list of listeners.
     *
     * @param listeners called in this order
     */
    public LockListeners(List<LockListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /**
     * Creates a list of listeners.
     *
     * @param listeners called in this order
     * @return the listeners
     */
    public static LockListeners of(LockListener... listeners) {
        requireNonNull(listeners, "listeners");
        return listeners.length == 0 ? NONE : new LockListeners(List.of(listeners));
    }

    /**
     * Returns whether there are listeners.
     *
     * @return whether to create events
     */
    public boolean isOn() {
        return !listeners.isEmpty();
    }

    /**
     * Calls all listeners. Never throws.
     *
     * @param event the event
     */
    public void emit(LockEvent event) {
        for (LockListener listener : listeners) {
            try {
                listener.on(event);
            } catch (Exception | Error e) { // an error too: a listener with a missing library must not break locking
                LOG.log(Level.WARNING, "a lock listener failed; the operation continues", e);
            }
        }
    }
}
