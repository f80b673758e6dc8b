package io.fenceline.testkit;

/**
 * One attempt to write.
 *
 * @param token of the writer's grant
 * @param base the text that the writer had read
 * @param value the text that it wrote, which nobody else writes
 * @param beganNanos before it was sent
 * @param endedNanos after it was answered; meaningless if it was not
 * @param outcome what the writer was told
 */
record StressedWrite(long token, String base, String value, long beganNanos, long endedNanos, Outcome outcome) {

    enum Outcome {
        ACCEPTED,
        REFUSED,
        /** No answer came, so it may have been made. */
        UNKNOWN
    }

    boolean isAccepted() {
        return outcome == Outcome.ACCEPTED;
    }

    StressedWrite answered(Outcome answer, long nanos) {
        return new StressedWrite(token, base, value, beganNanos, nanos, answer);
    }

    @Override
    public String toString() {
        return value + " with token " + token;
    }
}
