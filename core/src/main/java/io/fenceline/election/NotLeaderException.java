package io.fenceline.election;

/** Leader-only work was tried while the candidate does not lead, or no longer. */
public final class NotLeaderException extends RuntimeException {

    /** Creates the exception. */
    public NotLeaderException() {
        super("this candidate does not lead; leader-only work stops here");
    }
}
