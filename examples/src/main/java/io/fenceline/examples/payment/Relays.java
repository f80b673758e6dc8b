package io.fenceline.examples.payment;

import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.jdbc.outbox.Compensation;
import io.fenceline.jdbc.outbox.Delivery;
import io.fenceline.jdbc.outbox.Outbox;
import io.fenceline.jdbc.outbox.OutboxRelay;
import io.fenceline.jdbc.outbox.RelayOptions;
import java.util.Optional;

/** Configures a node's part in the delivery. */
public final class Relays {

    private Relays() {}

    /** Waits until no other node relays, then delivers until the lease is lost to another or this thread is interrupted. */
    public static void relay(Locks locks, Outbox outbox, Delivery delivery, Compensation compensation)
            throws InterruptedException {
        try (Lease lease = locks.acquire("payments-relay");
                OutboxRelay relay = new OutboxRelay(
                        outbox,
                        delivery,
                        () -> lease.isHeld() ? Optional.of(lease.stamp()) : Optional.empty(),
                        RelayOptions.defaults().withCompensation(compensation))) {
            lease.lost().thenRunAsync(relay::close, task -> new Thread(task, "relay-close").start());
            relay.run();
        }
    }
}
