package io.fenceline.jdbc.outbox;

/** Sends messages to a third party; written by the user of an {@link OutboxRelay}. */
@FunctionalInterface
public interface Delivery {

    /**
     * Sends a message. Called by one thread at a time, outside of any transaction. Should limit its own time: the relay
     * waits for it.
     *
     * <p>The same message may come again, always with the same idempotency key: after a failure, after a crash between the
     * delivery and its mark, and from a relay that was stopped, superseded and woken up. So the key has to reach the receiver,
     * and the receiver has to remember it for as long as that may take.
     *
     * @param attempt the message and who delivers it
     * @return what the receiver said. Whatever is not known to be refused for good is to be tried again
     * @throws InterruptedException if it is interrupted; the relay then stops, and the message is delivered again
     * @throws Exception for anything else; counts as {@link DeliveryResult.TryAgain}
     */
    DeliveryResult deliver(DeliveryAttempt attempt) throws Exception;
}
