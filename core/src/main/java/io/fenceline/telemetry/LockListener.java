package io.fenceline.telemetry;

/**
 * Told what happens to locks and leases. Called on the thread on which it happens, after the fact and before the operation
 * returns; it must be quick. What it throws is logged and dropped, and never touches the operation.
 */
@FunctionalInterface
public interface LockListener {

    /**
     * Takes note of an event.
     *
     * @param event what happened
     */
    void on(LockEvent event);
}
