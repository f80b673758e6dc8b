package io.fenceline.election;

/** Leader-only work was attempted by a candidate that does not lead. */
public final class NotLeaderException extends RuntimeException {

    /** Creates the exception. */
    public NotLeaderException() {
        super("this candidate does not lead; leader-only work stops here");
    }
}
