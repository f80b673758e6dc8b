package io.fenceline.guard;

import io.fenceline.FenceStamp;

/**
 * A guarded write, independent of the kind of guard. Check and effect are atomic as in the guard.
 *
 * <pre>{@code
 * GuardedStep<FenceStamp> inMemory = GuardedStep.in(memoryGuard);
 * GuardedStep<Connection> inDatabase = (resource, stamp, effect) -> jdbcGuard.write(resource, stamp, effect::run);
 * }</pre>
 *
 * @param <C> the context of effects, for instance the connection of the guard's transaction
 */
@FunctionalInterface
public interface GuardedStep<C> {

    /**
     * The work of a guarded write.
     *
     * @param <C> its context
     */
    @FunctionalInterface
    interface Effect<C> {

        /**
         * Writes. May run again if the store aborted the transaction of the first run.
         *
         * @param with the context
         * @throws Exception if the effect fails; the guard rolls back if possible, and does not count a write
         */
        void run(C with) throws Exception;
    }

    /**
     * Runs an effect if the stamp is not stale.
     *
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @param effect the write
     * @throws StaleTokenException if a greater token was seen; the effect did not run, or was rolled back
     * @throws ForeignTokenException if the resource belongs to another lock key; the effect did not run, or was rolled back
     * @throws Exception what the effect threw
     */
    void write(String resource, FenceStamp stamp, Effect<C> effect) throws Exception;

    /**
     * Returns the step of a memory guard. The context of its effects is the stamp. They must not use the guard.
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
