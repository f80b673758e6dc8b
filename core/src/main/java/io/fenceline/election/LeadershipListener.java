package io.fenceline.election;

import io.fenceline.RevocationReason;

/**
 * Listens to the terms of a candidate.
 *
 * <p>For each term {@link #onElected} is called once and then {@link #onRevoked} once, on one thread of the election,
 * in order. The candidate does not compete for the next term before {@code onRevoked} has returned.
 */
public interface LeadershipListener {

    /**
     * Called when the candidate leads. May start work and return, or do the work itself: the term lasts until it is ended. If it
     * ends meanwhile, the thread is interrupted; {@code onRevoked} follows when this method has returned.
     *
     * @param leadership the term
     * @throws Exception ends the term with {@link RevocationReason#LISTENER_FAILED}
     */
    void onElected(Leadership leadership) throws Exception;

    /**
     * Called when the term has ended: stop what {@code onElected} started. The term's {@link TokenSource} is already empty. After
     * a step-down or close the lock is kept until this method returns; a lost lease cannot be kept.
     *
     * @param leadership the term
     * @param reason the reason
     */
    void onRevoked(Leadership leadership, RevocationReason reason);
}
