package io.fenceline.examples.payment;

import io.fenceline.Locks;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.outbox.Compensation;
import io.fenceline.jdbc.outbox.OutboxMessage;

/** Cancels an order that cannot be charged: under the order's lock, like every write to it. Bears repetition. */
public final class CancelledOrder implements Compensation {

    private final Locks locks;
    private final JdbcFenceGuard guard;

    /** Makes a compensation. */
    public CancelledOrder(Locks locks, JdbcFenceGuard guard) {
        this.locks = locks;
        this.guard = guard;
    }

    @Override
    public void compensate(OutboxMessage message, String reason) throws Exception {
        String order = message.resource();
        locks.run(
                order,
                lease -> guard.write(
                        order, lease.stamp(), connection -> Orders.move(connection, order, "charging", "cancelled")));
    }
}
