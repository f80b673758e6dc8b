package io.fenceline.guard;

import io.fenceline.FenceStamp;

/**
 * One write behind a guard, seen by those that do not know the guard: check and effect are one atomic step, as the guard
 * makes it.
 *
 * <pre>{@code
 * GuardedStep<FenceStamp> inMemory = GuardedStep.in(memoryGuard);
 * GuardedStep<Connection> inDatabase = (resource, stamp, effect) -> jdbcGuard.write(resource, stamp, connection -> {
 *     effect.run(connection);
 *     return true;
 * });
 * }</pre>
 *
 * @param <C> what the effect works with: the connection whose transaction the guard opened, for instance
 */
@FunctionalInterface
public interface GuardedStep<C> {

    /**
     * The work that is done if the stamp is not stale.
     *
     * @param <C> what it works with
     */
    @FunctionalInterface
    interface Effect<C> {

        /**
         * Writes. May run again if the guard's store gave up the transaction of the first run.
         *
         * @param with what the guard gives to work with
         * @throws Exception if the effect fails; the guard undoes what it can, and does not count the token as written
         */
        void run(C with) throws Exception;
    }

    /**
     * Runs an effect if the stamp is not stale.
     *
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @param effect the write
     * @throws StaleTokenException if a greater token was seen; the effect did not run, or is undone
     * @throws ForeignTokenException if the resource belongs to another lock key; the effect did not run, or is undone
     * @throws Exception what the effect threw
     */
    void write(String resource, FenceStamp stamp, Effect<C> effect) throws Exception;

    /**
     * Returns the step of a guard in memory. Its effects get the stamp to work with, since there is nothing else, and must
     * not use the guard.
     *
     * @param guard the guard
     * @return its step
     */
    static GuardedStep<FenceStamp> in(MemoryFenceGuard guard) {
        return (resource, stamp, effect) -> {
            try {
                guard.write(resource, stamp, () -> FailedEffect.tunnel(effect, stamp));
            } catch (FailedEffect e) {
                throw e.failure;
            }
        };
    }
}
