package io.fenceline.election;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.guard.FenceGuard;
import java.util.Optional;

/**
 * The participation of one candidate in the election of a group's leader, until it is closed.
 *
 * <pre>{@code
 * Election election = Election.join(locks, "billing", Candidate.of("node-3"), listener);
 * …
 * stream.append("ledger", election.tokens().required(), entry);
 * }</pre>
 *
 * <p>The group's leader holds the lock {@code election:GROUP} of the same backend, renewed in the background. A leader that
 * cannot reach the backend stops leading, by its own clock, before another can be elected.
 *
 * <p>Thread-safe. The candidate's loop and the listener run on one daemon thread of the election.
 */
public final class Election implements AutoCloseable {

    /** Prefix of the lock keys of groups. */
    public static final String KEY_PREFIX = "election:";

    private final Candidacy candidacy;

    Election(Candidacy candidacy) {
        this.candidacy = candidacy;
    }

    /**
     * Joins an election with a ttl of 30 s and without claims.
     *
     * @param locks the locks of the group; closed after the election
     * @param group the group, with the rules of {@link LockKey}, less the prefix
     * @param candidate the candidate
     * @param listener called for each term
     * @return the running candidacy
     * @throws IllegalArgumentException if the group's name breaks the rules
     */
    public static Election join(Locks locks, String group, Candidate candidate, LeadershipListener listener) {
        return of(locks, group).candidate(candidate).join(listener);
    }

    /**
     * Returns a builder, for another ttl, and for resources that are claimed for each term.
     *
     * @param locks the locks of the group; closed after the election
     * @param group the group, with the rules of {@link LockKey}, less the prefix
     * @return a builder
     * @throws IllegalArgumentException if the group's name breaks the rules
     */
    public static ElectionBuilder of(Locks locks, String group) {
        return new ElectionBuilder(locks, group);
    }

    /**
     * Returns the leader of a group. The caller need not be a candidate.
     *
     * @param locks the locks of the group
     * @param group the group
     * @return the leader, or empty if there is none at this moment
     * @throws io.fenceline.BackendException if the store fails
     */
    public static Optional<LeaderView> leader(Locks locks, String group) {
        return requireNonNull(locks, "locks")
                .lookup(keyOf(group).value())
                .map(record -> new LeaderView(group, record.holder(), record.token()));
    }

    /**
     * Watches the leader of a group. The caller need not be a candidate.
     *
     * @param locks the locks of the group
     * @param group the group
     * @param observer called with the first leader and on each change
     * @return the watch, to be closed
     */
    public static LeaderWatch observe(Locks locks, String group, LeaderObserver observer) {
        return LeaderWatch.start(requireNonNull(locks, "locks"), group, observer);
    }

    /**
     * Returns the lock key of a group.
     *
     * @param group the group, with the rules of {@link LockKey}, less the prefix
     * @return the lock key
     * @throws IllegalArgumentException if the group's name breaks the rules
     */
    public static LockKey keyOf(String group) {
        requireNonNull(group, "group");
        if (group.isEmpty()) {
            throw new IllegalArgumentException("the group's name is empty");
        }
        return LockKey.of(KEY_PREFIX + group);
    }

    /**
     * Returns the source of stamps for leader-only code, valid over all terms.
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
     * Returns the lock key of the group, which guards such as {@link FenceGuard} see in its stamps.
     *
     * @return the lock key of all {@link FenceStamp}s of this group
     */
    public LockKey key() {
        return candidacy.key();
    }

    /** Ends the running term, like {@link Leadership#stepDown}. No-op while this candidate does not lead. */
    public void stepDown() {
        leadership().ifPresent(Leadership::stepDown);
    }

    /**
     * Leaves the election: ends a running term, calls the listener, and releases the lock. Returns when that is done, or at once if
     * called by the listener. Never throws and is idempotent. If the calling thread is interrupted it returns early, and the rest
     * happens in the background.
     */
    @Override
    public void close() {
        candidacy.close();
    }
}
