package io.fenceline.guard;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import java.util.Optional;

/**
 * Issues growing numbers for a name without a lock: each caller gets a greater one than all earlier callers. At a guard the
 * last caller wins, in whatever order writes arrive.
 *
 * <p>A number is taken in one atomic step of the store and never given twice, also across restarts. Numbers are not
 * consecutive. Thread-safe, and safe across processes.
 */
public interface GenerationClock {

    /**
     * Takes the next number.
     *
     * @param name the name, with the rules of {@link LockKey}
     * @return a number greater than every one that was taken before for this name
     * @throws BackendException if the store fails; a number of unknown effect is lost, which is harmless
     * @throws IllegalArgumentException if the name breaks the rules
     */
    FencingToken next(String name);

    /**
     * Takes the next number as a stamp for a guard, under the name as its key.
     *
     * @param name the name
     * @return the name and the number
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the name breaks the rules
     */
    default FenceStamp nextStamp(String name) {
        return new FenceStamp(LockKey.of(name), next(name));
    }

    /**
     * Returns the last number that was taken; takes none.
     *
     * @param name the name
     * @return the number, or empty if none was taken
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the name breaks the rules
     */
    Optional<FencingToken> current(String name);

    /**
     * Makes later numbers greater than {@code atLeast}, for instance after a restore from an older copy. Never lowers a clock.
     *
     * @param name the name
     * @param atLeast the number that later ones exceed
     * @throws BackendException if the store fails; a raise of unknown effect can be repeated
     * @throws IllegalArgumentException if the name breaks the rules
     */
    void raise(String name, FencingToken atLeast);
}
