package io.fenceline.testkit;

import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListener;

/**
 * The part of {@link FenceGuardContract} that a guard's test supplies: one place for data with nothing in it, and its guard.
 *
 * <p>Each test gets a fixture of its own. What guards differ in is a value here.
 */
public interface GuardFixture extends AutoCloseable {

    /**
     * Opens the guarded data once more, as another process would.
     *
     * @param rule how often a grant may write
     * @param listeners receive refusals
     * @return the data behind its guard; the fixture closes it
     */
    GuardedData open(FenceRule rule, LockListener... listeners);

    /** Lets everything be opened again, after a restart of the store or what comes nearest to one. */
    void restart();

    /**
     * Returns whether the guard remembers which lock a resource belongs to. A single column of numbers cannot.
     *
     * @return whether a token of another lock key is refused
     */
    default boolean keepsLockKeys() {
        return true;
    }

    /**
     * Returns whether the guard can tell a claim from a write. A single column of numbers cannot, and must then refuse to
     * claim under {@link FenceRule#ONCE}.
     *
     * @return whether a holder that writes once may claim before
     */
    default boolean tellsClaimsFromWrites() {
        return true;
    }

    /**
     * Returns whether data can be deleted. What was appended or sent cannot.
     *
     * @return whether {@link GuardedData#delete} works
     */
    default boolean deletes() {
        return true;
    }

    /**
     * Returns how many threads race.
     *
     * @return at least 2
     */
    default int racers() {
        return 6;
    }

    /**
     * Returns how often each racing thread writes.
     *
     * @return at least 1
     */
    default int cycles() {
        return 25;
    }

    /** Closes what was opened and removes the data. */
    @Override
    void close();
}
