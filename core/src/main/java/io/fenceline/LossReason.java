package io.fenceline;

/** The reason why a lease was lost. */
public enum LossReason {
    /** The local deadline passed: renewal was off, failed, or came too late. */
    DEADLINE_PASSED("its time ran out before it was renewed"),
    /** The store no longer has the lease: it expired or was released by force. */
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
