package io.fenceline.telemetry;

/**
 * Receives events. Called on the thread of the operation, after the fact and before the operation returns; it must be quick: one that
 * hangs at the renewal of a lease costs that lease, and others of the same request. Its exceptions are logged and ignored.
 */
@FunctionalInterface
public interface LockListener {

    /**
     * Handles an event.
     *
     * @param event the event
     */
    void on(LockEvent event);
}
