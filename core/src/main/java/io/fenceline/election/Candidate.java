package io.fenceline.election;

import static java.util.Objects.requireNonNull;

import io.fenceline.Holder;
import java.time.Duration;

/**
 * A participant in an election.
 *
 * @param holder its name, for display; it decides nothing
 * @param hesitation how long the group must have been without a leader before this candidate asks to lead, so that those who
 *     hesitate less go first; zero for a candidate that waits in the queue
 */
public record Candidate(Holder holder, Duration hesitation) {

    /**
     * Checks the hesitation.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Candidate {
        requireNonNull(holder, "holder");
        requireNonNull(hesitation, "hesitation");
        if (hesitation.isNegative()) {
            throw new IllegalArgumentException("hesitation is " + hesitation + ", it cannot be negative");
        }
    }

    /**
     * Returns a candidate without hesitation, which waits in the queue.
     *
     * @param name its name, with the rules of {@link Holder}
     * @return the candidate
     */
    public static Candidate of(String name) {
        return new Candidate(Holder.of(name), Duration.ZERO);
    }

    /**
     * Returns the same candidate with a hesitation. Preferred candidates of a group have none; the others hesitate longer
     * than a preferred one takes to acquire. A preferred candidate never displaces a leader.
     *
     * @param hesitation how long the group must have been without a leader
     * @return the candidate
     */
    public Candidate withHesitation(Duration hesitation) {
        return new Candidate(holder, hesitation);
    }
}
