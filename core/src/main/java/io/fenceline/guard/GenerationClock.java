package io.fenceline.guard;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import java.util.Optional;

/**
 * Issues growing numbers for a name without a lock: each caller gets a greater one than every earlier caller. Whoever asked
 * last wins at a guard, whatever order the writes arrive in.
 *
 * <p>A number is taken in one atomic step of the store and never given twice, also across restarts. Numbers are not
 * consecutive. Safe for all threads and processes.
 */
public interface GenerationClock {

    /**
     * Takes the next number.
     *
     * @param name what the numbers are for, with the rules of {@link LockKey}
     * @return a number greater than every one that was taken before for this name
     * @throws BackendException if the store fails; a number of unknown effect is lost and does no harm
     * @throws IllegalArgumentException if the name breaks the rules
     */
    FencingToken next(String name);

    /**
     * Takes the next number as a stamp for a guard, under the name as its key.
     *
     * @param name what the numbers are for
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
     * @param name what the numbers are for
     * @return the number, or empty if none was taken
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the name breaks the rules
     */
    Optional<FencingToken> current(String name);

    /**
     * Makes the following numbers greater than {@code atLeast}, for instance after the store was restored from an older copy.
     * A clock that is further stays as it is.
     *
     * @param name what the numbers are for
     * @param atLeast the number that later ones exceed
     * @throws BackendException if the store fails; a raise of unknown effect can be repeated
     * @throws IllegalArgumentException if the name breaks the rules
     */
    void raise(String name, FencingToken atLeast);
}
