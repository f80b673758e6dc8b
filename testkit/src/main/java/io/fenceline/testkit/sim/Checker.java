package io.fenceline.testkit.sim;

import java.util.List;
import java.util.Optional;

/** Finds the first line of a history that breaks a promise. */
final class Checker {

    private final List<Rule> rules;

    /** Creates a checker for one history. */
    Checker(boolean safeClocks) {
        ServerLocks locks = new ServerLocks();
        Deadlines deadlines = new Deadlines();
        // the first two keep what others ask for
        this.rules = List.of(
                new GrantRule(locks),
                deadlines,
                new BeliefRule(locks, deadlines, safeClocks),
                new LossRule(deadlines),
                new ReleaseRule(),
                new CohortRule(),
                new MinHoldRule(),
                new UndoRule(),
                new QueueRule(),
                new StaleWriteRule(),
                new ProgressRule());
    }

    Optional<Violation> firstViolation(List<HistoryEntry> history) {
        int at = 0;
        try {
            for (HistoryEntry line : history) {
                for (Rule rule : rules) {
                    rule.see(line);
                }
                at++;
            }
            return Optional.empty();
        } catch (Rule.Broken broken) {
            return Optional.of(broken.at(at));
        }
    }
}
