package io.fenceline.guard;

/**
 * Handles messages that were refused because their stamp is stale, missing or mistaken.
 *
 * <p>Returning normally acknowledges the message: it is not delivered again. Use a lambda to record it.
 *
 * @param <M> the broker's type of message
 */
@FunctionalInterface
public interface RefusedMessages<M> {

    /**
     * Handles a refused message.
     *
     * @param message the message
     * @param why a {@link RefusedWriteException}, a {@link MalformedStampException}, or another {@link IllegalArgumentException} if the
     *     message's resource has no valid name
     * @throws Exception if the message must be redelivered
     */
    void refused(M message, RuntimeException why) throws Exception;

    /**
     * Rethrows the refusal to the caller of the consumer. Most brokers then redeliver the message.
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
     * Drops the message. Refusals by the guard have been reported to its listeners.
     *
     * @param <M> the type of message
     * @return an outcome that does nothing
     */
    static <M> RefusedMessages<M> dropped() {
        return (message, why) -> {};
    }
}
