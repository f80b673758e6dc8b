package io.fenceline.jdbc.outbox;

/** The states of a message. */
public enum OutboxState {
    /** To be delivered. */
    PENDING(false),
    /** The receiver has it. */
    DELIVERED(true),
    /** Given up, and to be compensated. */
    COMPENSATING(false),
    /** Given up, and the compensation is done. */
    COMPENSATED(true),
    /** Given up; an operator retries or skips it. */
    DEAD(false),
    /** An operator decided that it is not to be delivered. */
    SKIPPED(true);

    private final boolean settled;

    OutboxState(boolean settled) {
        this.settled = settled;
    }

    /**
     * Tells whether nothing is to be done any more. Settled messages hold nobody up, and are purged one day.
     *
     * @return whether it is an end
     */
    public boolean isSettled() {
        return settled;
    }
}
