package io.fenceline.jdbc.outbox;

/** Puts things right when a message is given up; written by the user of an {@link OutboxRelay}. */
@FunctionalInterface
public interface Compensation {

    /**
     * Undoes, or has undone, what the message was a part of. Called by the relay's thread, outside of any transaction, at
     * least once: after a failure or a crash it is called again for the same message, so it has to bear repetition. What it
     * writes to a guarded resource it writes under a lease of its own, like everybody.
     *
     * <p>The message may have been delivered although no attempt said so. Where that matters, ask the receiver first.
     *
     * <p>When it returns, the message counts as settled, and later messages of its resource go on. It may {@link Outbox#skip}
     * those before.
     *
     * @param message what is not delivered
     * @param reason what the receiver or the last attempt said
     * @throws InterruptedException if it is interrupted; the relay then stops, and the compensation is made again
     * @throws Exception for anything else; it is then tried again like a delivery, and the message is dead after as many
     *     attempts
     */
    void compensate(OutboxMessage message, String reason) throws Exception;
}
