package io.fenceline.internal;

/**
 * Records what the attempts under one lock id may have left in the backend, and the moment from which a grant under it counts.
 * Belongs to one thread.
 */
final class AttemptTrace {

    /** No grant under the lock id is older than this: from before the first attempt, or the last one that was refused. */
    private Moment noneBefore;

    /** Whether the backend may have something: a grant that we were not told of, or a place in a queue. */
    private boolean left;

    /** Whether a refusal proves nothing: an attempt that another thread made for us may be granted yet, as of when it was made. */
    private final boolean refusalsProveNothing;

    private AttemptTrace(Moment noneBefore, boolean left, boolean refusalsProveNothing) {
        this.noneBefore = noneBefore;
        this.left = left;
        this.refusalsProveNothing = refusalsProveNothing;
    }

    /** The state of a lock id that was never sent. */
    static AttemptTrace none(Moment now) {
        return new AttemptTrace(now, false, false);
    }

    /** The state after the previous holder asked on our behalf. */
    static AttemptTrace of(LocalQueue.Answer given) {
        return new AttemptTrace(given.asked(), given.mayHaveLeftATrace(), given.outcome() == null);
    }

    void refused(Moment asked, boolean queued) {
        if (!refusalsProveNothing) {
            noneBefore = asked;
        }
        left |= queued;
    }

    /** An attempt was not answered, or its answer was not understood. */
    void unanswered() {
        left = true;
    }

    boolean isLeft() {
        return left;
    }

    /**
     * From when a grant counts, however we come to know of it: the backend may have granted it to an earlier attempt, which was
     * not answered or of which a copy arrived late, and a repeated attempt gets the same grant.
     */
    Moment noneBefore() {
        return noneBefore;
    }
}
