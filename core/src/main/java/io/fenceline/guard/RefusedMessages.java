package io.fenceline.guard;

/**
 * Handles messages that were refused because their stamp is stale, missing or mistaken.
 *
 * <p>Returning means that the message is done with: it is not delivered again. Recording it somewhere is a lambda.
 *
 * @param <M> the broker's type of message
 */
@FunctionalInterface
public interface RefusedMessages<M> {

    /**
     * Takes a message that was not handled.
     *
     * @param message the message
     * @param why a {@link RefusedWriteException} or a {@link MalformedStampException}
     * @throws Exception if the message is not done with
     */
    void refused(M message, RuntimeException why) throws Exception;

    /**
     * Passes the refusal on to whoever called the consumer. With most brokers the message then comes again.
     *
     * @param <M> the type of message
     * @return an outcome that throws
     */
    static <M> RefusedMessages<M> thrown() {
        return (message, why) -> {
            throw why;
        };
    }

    /**
     * Forgets the message. The guard's listeners have been told, if it was the guard that refused.
     *
     * @param <M> the type of message
     * @return an outcome that does nothing
     */
    static <M> RefusedMessages<M> dropped() {
        return (message, why) -> {};
    }
}
