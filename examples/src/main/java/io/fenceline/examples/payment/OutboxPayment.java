package io.fenceline.examples.payment;

import io.fenceline.Lease;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.outbox.Outbox;
import io.fenceline.jdbc.outbox.OutboxMessage;

/**
 * Writes to the guarded database that the order is to be charged, and the message that says so to the gateway, in one
 * transaction. A worker that was superseded can write neither.
 */
public final class OutboxPayment implements Worker {

    private final JdbcFenceGuard guard;
    private final Orders orders;
    private final Outbox outbox;

    /** Makes a worker. */
    public OutboxPayment(JdbcFenceGuard guard, Orders orders, Outbox outbox) {
        this.guard = guard;
        this.orders = orders;
        this.outbox = outbox;
    }

    @Override
    public void pay(String order, Lease lease, Runnable stop) throws Exception {
        guard.claim(order, lease.stamp());
        if (orders.status(order).equals("open")) {
            stop.run();
            guard.call(order, lease.stamp(), connection -> {
                // If an earlier holder's message is committed, the order is not open any more, and none is added.
                return Orders.move(connection, order, "open", "charging")
                        && outbox.add(
                                connection,
                                OutboxMessage.of(
                                        order, lease.stamp(), lease.idempotencyKey("charge"), "gateway", order));
            });
        }
    }
}
