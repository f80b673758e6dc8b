package io.fenceline.election;

import io.fenceline.RevocationReason;

/**
 * Told when a candidate leads and when it no longer does.
 *
 * <p>For each term {@link #onElected} is called once and then {@link #onRevoked} once, on one thread of the election, one
 * after the other, terms after terms. The next term is not asked for before {@code onRevoked} returned.
 */
public interface LeadershipListener {

    /**
     * The candidate leads. May start work and return, or do the work and return when it is done: the term goes on until
     * it is ended. If it ends meanwhile, the thread is interrupted; {@code onRevoked} follows when this method returned.
     *
     * @param leadership the term
     * @throws Exception ends the term with {@link RevocationReason#LISTENER_FAILED}
     */
    void onElected(Leadership leadership) throws Exception;

    /**
     * The term has ended: stop what {@code onElected} started. The term's stamp is refused by its {@link TokenSource} already. A
     * leader that stepped down or left keeps the others out until this method returns; one whose lease was lost cannot.
     *
     * @param leadership the term
     * @param reason why it ended
     */
    void onRevoked(Leadership leadership, RevocationReason reason);
}
