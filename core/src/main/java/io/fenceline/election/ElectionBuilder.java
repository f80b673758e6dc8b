package io.fenceline.election;

import static java.util.Objects.requireNonNull;

import io.fenceline.Holder;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.guard.FenceGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Builds {@link Election}s. Not thread-safe. */
public final class ElectionBuilder {

    private final Locks locks;
    private final String group;
    private final List<Claim> claims = new ArrayList<>();
    private Candidate candidate = new Candidate(Holder.ofThisProcess(), Duration.ZERO);
    private LockOptions options = LockOptions.defaults();

    ElectionBuilder(Locks locks, String group) {
        Election.keyOf(group);
        this.locks = requireNonNull(locks, "locks");
        this.group = group;
    }

    /** Resources that a term claims. */
    record Claim(FenceGuard guard, List<String> resources) {}

    /**
     * Sets the candidate; by default this process, without hesitation.
     *
     * @param candidate its name and hesitation
     * @return this builder
     */
    public ElectionBuilder candidate(Candidate candidate) {
        this.candidate = requireNonNull(candidate, "candidate");
        return this;
    }

    /**
     * Sets the ttl of the lease, 30 s by default: how long a crashed leader blocks the others. The lease is renewed at a third of
     * it.
     *
     * @param ttl above zero
     * @return this builder
     * @throws IllegalArgumentException if the ttl is out of range
     */
    public ElectionBuilder ttl(Duration ttl) {
        this.options = options.withTtl(ttl);
        return this;
    }

    /**
     * Sets the safety margin before the end of the ttl, a twentieth of the ttl by default. Set more if stopping the work takes a
     * while, so that it has stopped before another leader can be elected.
     *
     * @param margin less than the ttl, which is set first
     * @return this builder
     * @throws IllegalArgumentException if it is negative or leaves no time to lead
     */
    public ElectionBuilder safetyMargin(Duration margin) {
        this.options = options.withSafetyMargin(requireNonNull(margin, "margin"));
        return this;
    }

    /**
     * Claims resources for each term before {@code onElected}, so that no write of an earlier leader succeeds after it begins. A
     * candidate that cannot claim gives the term up.
     *
     * @param guard the resources' guard
     * @param resources their names
     * @return this builder
     */
    public ElectionBuilder claims(FenceGuard guard, String... resources) {
        claims.add(new Claim(requireNonNull(guard, "guard"), List.of(requireNonNull(resources, "resources"))));
        return this;
    }

    /**
     * Joins the election.
     *
     * @param listener called for each term
     * @return the running candidacy
     */
    public Election join(LeadershipListener listener) {
        Candidacy candidacy = new Candidacy(
                locks, group, candidate, options, List.copyOf(claims), requireNonNull(listener, "listener"));
        candidacy.start();
        return new Election(candidacy);
    }
}
