package io.fenceline.election;

import io.fenceline.Holder;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.guard.FenceGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Says how a candidate takes part. For one thread. */
public final class ElectionBuilder {

    private final Locks locks;
    private final String group;
    private final List<Claim> claims = new ArrayList<>();
    private Candidate candidate = new Candidate(Holder.ofThisProcess(), Duration.ZERO);
    private LockOptions options = LockOptions.defaults();

    ElectionBuilder(Locks locks, String group) {
        Election.keyOf(group);
        this.locks = locks;
        this.group = group;
    }

    /** Resources that a term claims. */
    record Claim(FenceGuard guard, List<String> resources) {}

    /**
     * Sets who takes part; by default this process, without hesitation.
     *
     * @param candidate its name and hesitation
     * @return this builder
     */
    public ElectionBuilder candidate(Candidate candidate) {
        this.candidate = candidate;
        return this;
    }

    /**
     * Sets how long a leader that vanished keeps the others out, 30 s by default. The lease is renewed at a third of it.
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
     * Sets how long before the end of the ttl a leader stops, a twentieth of the ttl by default. A leader whose work takes a
     * while to stop sets more, so that it has stopped before another can be elected.
     *
     * @param margin less than the ttl, which is set first
     * @return this builder
     * @throws IllegalArgumentException if it is negative or leaves no time to lead
     */
    public ElectionBuilder safetyMargin(Duration margin) {
        this.options = options.withSafetyMargin(margin);
        return this;
    }

    /**
     * Claims resources for each term before the listener is told of it, so that no write of an earlier leader succeeds any more
     * when {@code onElected} begins. A candidate that cannot claim gives the term up.
     *
     * @param guard the resources' guard
     * @param resources their names
     * @return this builder
     */
    public ElectionBuilder claims(FenceGuard guard, String... resources) {
        claims.add(new Claim(guard, List.of(resources)));
        return this;
    }

    /**
     * Takes part from now on.
     *
     * @param listener told of each term
     * @return the running candidacy
     */
    public Election join(LeadershipListener listener) {
        Candidacy candidacy = new Candidacy(locks, group, candidate, options, List.copyOf(claims), listener);
        candidacy.start();
        return new Election(candidacy);
    }
}
