package io.fenceline.testkit.sim;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The outcome of one {@link Simulation}. */
public final class SimulationRun {

    private static final int LINES_SHOWN = 200;

    private final long seed;
    private final List<HistoryEntry> lines;
    private final Optional<Violation> violation;
    private final Optional<Throwable> failure;

    SimulationRun(long seed, List<HistoryEntry> lines, Optional<Violation> violation, Optional<Throwable> failure) {
        this.seed = seed;
        this.lines = lines;
        this.violation = violation;
        this.failure = failure;
    }

    /**
     * Returns what happened, one line for each event; the same for every run of the seed.
     *
     * @return the history
     */
    public List<String> history() {
        return lines.stream().map(HistoryEntry::toString).toList();
    }

    /**
     * Returns whether every promise was kept and nothing threw what it should not.
     *
     * @return whether the run found nothing
     */
    public boolean isSound() {
        return violation.isEmpty() && failure.isEmpty();
    }

    /**
     * Does nothing if the run is sound.
     *
     * @throws AssertionError otherwise, with the seed, the promise that was broken, and the history up to then
     */
    public void assertSound() {
        if (violation.isPresent()) {
            throw new AssertionError(
                    report(violation.get().line(), violation.get().toString()));
        }
        if (failure.isPresent()) {
            String thrown = "unexpected " + failure.get();
            throw new AssertionError(report(lines.size() - 1, thrown), failure.get());
        }
    }

    private String report(int lastLine, String found) {
        int end = Math.min(lastLine + 1, lines.size());
        List<String> shown = history().subList(Math.max(0, end - LINES_SHOWN), end);
        return String.format(
                "seed %d: %s%nReplay it with Simulation.of(%d), or in Fenceline's own build with%n"
                        + "mvn -pl testkit -am test -Dtest=SimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dfenceline.seed=%d%n%s%nThe last line shows it: %s",
                seed, found, seed, seed, String.join("\n", shown), found);
    }

    Optional<Violation> violation() {
        return violation;
    }

    /** How often something of a kind happened. */
    <T extends Event> long count(Class<T> kind, Predicate<T> condition) {
        return lines.stream()
                .map(HistoryEntry::event)
                .filter(kind::isInstance)
                .map(kind::cast)
                .filter(condition)
                .count();
    }
}
