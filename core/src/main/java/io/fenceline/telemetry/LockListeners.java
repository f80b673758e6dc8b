package io.fenceline.telemetry;

import java.lang.System.Logger.Level;
import java.util.List;

/**
 * Several listeners that are told safely: what one throws is logged and dropped. With none, events need not even be made:
 * ask {@link #isOn} first.
 */
public final class LockListeners {

    /** No listener. */
    public static final LockListeners NONE = new LockListeners(List.of());

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private final List<LockListener> listeners;

    /**
     * Bundles listeners.
     *
     * @param listeners told in this order
     */
    public LockListeners(List<LockListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /**
     * Bundles listeners.
     *
     * @param listeners told in this order
     * @return the listeners
     */
    public static LockListeners of(LockListener... listeners) {
        return listeners.length == 0 ? NONE : new LockListeners(List.of(listeners));
    }

    /**
     * Tells whether anybody listens.
     *
     * @return whether making an event is worth it
     */
    public boolean isOn() {
        return !listeners.isEmpty();
    }

    /**
     * Tells all of them. Never throws.
     *
     * @param event what happened
     */
    public void emit(LockEvent event) {
        for (LockListener listener : listeners) {
            try {
                listener.on(event);
            } catch (RuntimeException
                    | Error e) { // an error too: a listener whose library is missing must not cost a lock
                LOG.log(Level.WARNING, "a lock listener failed; the operation goes on", e);
            }
        }
    }
}
