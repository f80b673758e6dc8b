package io.fenceline.internal;

/**
 * Tracks what the attempts under one lock id may have left in the backend, and the earliest time of a grant under it. Confined to
 * one thread.
 */
final class AttemptTrace {

    /** Before the first attempt, or before the last one that was refused: no grant under the lock id is older. */
    private Moment earliestGrant;

    /** True if the backend may have a grant whose reply was lost, or a place in its wait queue. */
    private boolean mayBeLeft;

    /** True if the previous holder sent our acquire and its reply was lost: the grant may still arrive, counted from when it was sent. */
    private final boolean unansweredElsewhere;

    /** True if a grant may be one whose reply was lost, and so be as old as {@link #earliestGrant}. */
    private boolean unanswered;

    /** How many attempts got no reply, whatever the later ones were told: the backend may execute each of them late. */
    private int lostReplies;

    /** True if attempts under another lock id may have left something that is being undone. */
    private final boolean startedOver;

    private AttemptTrace(Moment earliestGrant, boolean mayBeLeft, boolean unansweredElsewhere, boolean startedOver) {
        this.earliestGrant = earliestGrant;
        this.mayBeLeft = mayBeLeft;
        this.unansweredElsewhere = unansweredElsewhere;
        this.unanswered = unansweredElsewhere;
        this.lostReplies = unansweredElsewhere ? 1 : 0;
        this.startedOver = startedOver;
    }

    /** A lock id that was never sent. */
    static AttemptTrace none(Moment now) {
        return new AttemptTrace(now, false, false, false);
    }

    /** A lock id that was never sent, in place of one that was. */
    static AttemptTrace startedOver(Moment now) {
        return new AttemptTrace(now, false, false, true);
    }

    /** A lock id that the previous holder sent on our behalf. */
    static AttemptTrace of(ForwardedReply forwarded) {
        return new AttemptTrace(
                forwarded.asked(), forwarded.mayHaveLeftSomething(), forwarded.outcome() == null, false);
    }

    void refused(Moment asked, boolean queued) {
        if (!unansweredElsewhere) {
            earliestGrant = asked;
            unanswered = false;
        }
        mayBeLeft |= queued;
    }

    /** An attempt got no reply, or one that could not be read. */
    void unanswered() {
        mayBeLeft = true;
        unanswered = true;
        lostReplies++;
    }

    int lostReplies() {
        return lostReplies;
    }

    boolean mayBeLeft() {
        return mayBeLeft;
    }

    boolean replyWasLost() {
        return unanswered;
    }

    /** Whether the store may have been changed by this call, whatever the next attempt says of itself. */
    boolean mayHaveChangedTheStore() {
        return unanswered || startedOver;
    }

    /**
     * The time from which a grant counts. The backend may have made it for an earlier attempt, whose reply was lost or which
     * arrived late; a retry then gets that same grant.
     */
    Moment earliestGrant() {
        return earliestGrant;
    }
}
