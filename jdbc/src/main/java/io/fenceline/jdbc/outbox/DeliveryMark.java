package io.fenceline.jdbc.outbox;

/**
 * The change of a message's state after an attempt.
 *
 * @param entry the message as it was read
 * @param state what it becomes
 * @param pauseMillis how long it waits
 * @param error why it was not done, empty if it was
 */
record DeliveryMark(OutboxEntry entry, OutboxState state, long pauseMillis, String error) {

    /** Longer ones are cut: an error page of a receiver's is no use in a table. */
    private static final int MAX_ERROR = 2_000;

    DeliveryMark {
        error = error.replace('\0', ' ');
        error = error.length() <= MAX_ERROR ? error : error.substring(0, MAX_ERROR);
    }

    /** Tells whether the later messages of the resource may go on at once. */
    boolean letsOthersContinue(DeadMessagePolicy deadMessages) {
        return state.isSettled() || (state == OutboxState.DEAD && deadMessages == DeadMessagePolicy.CONTINUE);
    }
}
