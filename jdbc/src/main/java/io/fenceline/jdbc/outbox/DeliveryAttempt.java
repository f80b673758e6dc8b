package io.fenceline.jdbc.outbox;

import io.fenceline.FenceStamp;

/**
 * One attempt to deliver a message.
 *
 * @param message what to send
 * @param number 1 for the first attempt since the message was added or an operator retried it
 * @param relay the relay's own key and token: a receiver that can compare them refuses a superseded relay
 */
public record DeliveryAttempt(OutboxMessage message, int number, FenceStamp relay) {}
