package io.fenceline.election;

import io.fenceline.FenceStamp;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.guard.FenceGuard;
import java.util.Optional;

/**
 * A candidate's part in the election of a group's leader, until it is closed.
 *
 * <pre>{@code
 * Election election = Election.join(locks, "billing", Candidate.of("node-3"), listener);
 * …
 * stream.append("ledger", election.tokens().required(), entry);
 * }</pre>
 *
 * <p>The group's leader holds the lock {@code election:GROUP} of the same backend, renewed in the background. A leader whose
 * backend cannot be reached stops being one by its own clock before any other can be elected.
 *
 * <p>Safe for all threads. The candidate's loop and the listener run on one daemon thread of the election.
 */
public final class Election implements AutoCloseable {

    /** What the lock key of a group's leader begins with. */
    public static final String KEY_PREFIX = "election:";

    private final Candidacy candidacy;

    Election(Candidacy candidacy) {
        this.candidacy = candidacy;
    }

    /**
     * Takes part in an election with a ttl of 30 s and nothing claimed.
     *
     * @param locks where the leader's lock is taken; closed after the election
     * @param group what is led, with the rules of {@link LockKey}, less the prefix
     * @param candidate who takes part
     * @param listener told of each term
     * @return the running candidacy
     * @throws IllegalArgumentException if the group's name breaks the rules
     */
    public static Election join(Locks locks, String group, Candidate candidate, LeadershipListener listener) {
        return of(locks, group).candidate(candidate).join(listener);
    }

    /**
     * Returns a builder, for another ttl, and for resources that are claimed for each term.
     *
     * @param locks where the leader's lock is taken; closed after the election
     * @param group what is led, with the rules of {@link LockKey}, less the prefix
     * @return a builder
     * @throws IllegalArgumentException if the group's name breaks the rules
     */
    public static ElectionBuilder of(Locks locks, String group) {
        return new ElectionBuilder(locks, group);
    }

    /**
     * Asks the store who leads a group; whoever asks need not be a candidate.
     *
     * @param locks the group's
     * @param group what is led
     * @return the leader, or empty if there is none at this moment
     * @throws io.fenceline.BackendException if the store fails
     */
    public static Optional<LeaderView> leader(Locks locks, String group) {
        return locks.lookup(keyOf(group).value()).map(record -> new LeaderView(group, record.holder(), record.token()));
    }

    /**
     * Watches who leads a group; whoever watches need not be a candidate.
     *
     * @param locks the group's
     * @param group what is led
     * @param observer told of the first view and of each change
     * @return what ends the watching
     */
    public static LeaderWatch observe(Locks locks, String group, LeaderObserver observer) {
        return LeaderWatch.start(locks, group, observer);
    }

    /**
     * Returns what the leader of a group locks.
     *
     * @param group what is led, with the rules of {@link LockKey}, less the prefix
     * @return the lock key
     * @throws IllegalArgumentException if the group's name breaks the rules
     */
    public static LockKey keyOf(String group) {
        if (group.isEmpty()) {
            throw new IllegalArgumentException("the group's name is empty");
        }
        return LockKey.of(KEY_PREFIX + group);
    }

    /**
     * Returns what leader-only code asks for its stamp, in whatever term.
     *
     * @return empty while this candidate does not lead
     */
    public TokenSource tokens() {
        return () -> leadership().flatMap(Leadership::current);
    }

    /**
     * Returns the running term.
     *
     * @return the term, or empty while this candidate does not lead by its own clock
     */
    public Optional<Leadership> leadership() {
        return candidacy.leadership().filter(Leadership::isLeading);
    }

    /**
     * Returns the group's stamp in words of a {@link FenceGuard}: the key that its terms belong to.
     *
     * @return the lock key of all {@link FenceStamp}s of this group
     */
    public LockKey key() {
        return candidacy.key();
    }

    /** Ends the running term, as {@link Leadership#stepDown} does. Does nothing while this candidate does not lead. */
    public void stepDown() {
        leadership().ifPresent(Leadership::stepDown);
    }

    /**
     * Leaves the election. A running term ends, the listener is told, and the others are let in. Returns when all this has
     * happened, or at once when called by the listener. Never throws and can be called again; if the calling thread is interrupted
     * it returns early and the rest happens by itself.
     */
    @Override
    public void close() {
        candidacy.close();
    }
}
