package io.fenceline.examples.payment;

import io.fenceline.jdbc.outbox.Delivery;
import io.fenceline.jdbc.outbox.DeliveryAttempt;
import io.fenceline.jdbc.outbox.DeliveryResult;
import io.fenceline.jdbc.outbox.OutboxMessage;
import java.io.IOException;

/** Sends charges to the gateway, with the message's own idempotency key at each attempt. */
public final class ChargeDelivery implements Delivery {

    private final GatewayClient gateway;

    /** Makes a delivery. */
    public ChargeDelivery(GatewayClient gateway) {
        this.gateway = gateway;
    }

    @Override
    public DeliveryResult deliver(DeliveryAttempt attempt) throws IOException, InterruptedException {
        OutboxMessage message = attempt.message();
        int status = gateway.charge(message.text(), message.idempotencyKey());
        if (status / 100 == 2) {
            return DeliveryResult.delivered();
        }
        boolean declined = status / 100 == 4 && status != 408 && status != 409 && status != 429;
        return declined
                ? DeliveryResult.refused("the gateway answers " + status)
                : DeliveryResult.tryAgain("the gateway answers " + status);
    }
}
