package io.fenceline.internal;

import io.fenceline.Grant;
import io.fenceline.spi.Acquisition;
import org.jspecify.annotations.Nullable;

/**
 * The backend's reply to an attempt that the previous holder made for the next waiter, or the grant that it passed on.
 *
 * @param asked when it was sent; for a grant that was passed on, the block's request
 * @param outcome the reply; null if it was lost
 * @param cohort what a grant was passed on in, null otherwise
 */
record ForwardedReply(
        Moment asked,
        @Nullable Acquisition outcome,
        @Nullable Cohort cohort) {

    static ForwardedReply ofBackend(Moment asked, @Nullable Acquisition outcome) {
        return new ForwardedReply(asked, outcome, null);
    }

    static ForwardedReply passedOn(Moment asked, Grant grant, Cohort cohort) {
        return new ForwardedReply(asked, new Acquisition.Granted(grant), cohort);
    }

    boolean mayHaveLeftSomething() {
        return !(outcome instanceof Acquisition.Contended contended) || contended.queued();
    }
}
