package io.fenceline.examples.payment;

import io.fenceline.Lease;
import io.fenceline.jdbc.guard.JdbcFenceGuard;

/**
 * Charges under the lock, then writes to the guarded database. <strong>Unsafe</strong>: a worker that is stopped before the
 * charge and wakes up when the lock is another's charges again. Its write is refused, but the money is taken.
 *
 * <p>The idempotency key does not help here. It stands for one step of one grant, so that a repetition of <em>this</em> worker's
 * request does no harm; the next holder has another.
 */
public final class DirectPayment implements Worker {

    private final JdbcFenceGuard guard;
    private final Orders orders;
    private final GatewayClient gateway;

    /** Makes a worker. */
    public DirectPayment(JdbcFenceGuard guard, Orders orders, GatewayClient gateway) {
        this.guard = guard;
        this.orders = orders;
        this.gateway = gateway;
    }

    @Override
    public void pay(String order, Lease lease, Runnable stop) throws Exception {
        guard.claim(order, lease.stamp());
        if (orders.status(order).equals("open")) {
            stop.run();
            gateway.charge(order, lease.idempotencyKey("charge")); // nobody checks a token here
            guard.write(order, lease.stamp(), connection -> Orders.move(connection, order, "open", "paid"));
        }
    }
}
