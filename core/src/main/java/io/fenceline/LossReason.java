package io.fenceline;

/** The way in which the end of a lease was noticed. */
public enum LossReason {
    /** The time that the holder may count on ran out: renewal was off, failed, or came too late. */
    DEADLINE_PASSED("its time ran out before it was renewed"),
    /** The store no longer knows the lease: it expired there, or somebody released it by force. */
    REFUSED_BY_BACKEND("the store no longer has it"),
    /** {@link Locks#close()} was called while the lease was held. */
    LOCKS_CLOSED("its Locks object was closed");

    private final String explanation;

    LossReason(String explanation) {
        this.explanation = explanation;
    }

    String explanation() {
        return explanation;
    }
}
