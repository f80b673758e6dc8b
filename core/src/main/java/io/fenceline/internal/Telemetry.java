package io.fenceline.internal;

import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import java.lang.System.Logger.Level;
import java.util.List;

/** The listeners of one engine. With none, events are not even made. */
final class Telemetry {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    private final List<LockListener> listeners;

    Telemetry(List<LockListener> listeners) {
        this.listeners = listeners;
    }

    boolean isOn() {
        return !listeners.isEmpty();
    }

    void emit(LockEvent event) {
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
