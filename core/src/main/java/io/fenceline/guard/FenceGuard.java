package io.fenceline.guard;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Remembers the greatest token of each resource and refuses smaller ones.
 *
 * <p>How a write is guarded differs from store to store, so writing is a method of each guard: always one atomic step of
 * the store, in which the token is compared, remembered, and the effect made. What all guards have in common is here.
 *
 * <p>A resource belongs to the lock key of its first stamp. Tokens of different keys cannot be compared, so a stamp of any
 * other key is refused with an error of its own.
 *
 * <p>What is remembered outlives the data: deleting a row, or a value that expires, lowers nothing.
 *
 * <p>Safe for all threads and processes. Every refusal is also a {@link io.fenceline.telemetry.LockEvent}.
 */
public interface FenceGuard {

    /**
     * Announces a holder before its first read: when this returns, no write with a smaller token succeeds any more, so what
     * the holder reads from now on stays true until it writes. Without a claim a stale holder can still write in between.
     * Claiming again is harmless.
     *
     * @param resource the name of what is guarded
     * @param stamp the holder's key and token
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the resource belongs to another lock key; nothing is changed
     * @throws BackendException if the store fails. A claim of unknown effect can be repeated
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link io.fenceline.ResourceName}
     */
    void claim(String resource, FenceStamp stamp);

    /**
     * Claims several resources, in the order of their names, so that holders who claim the same ones cannot block each
     * other. Not one step: if one is refused, the ones before it stay claimed.
     *
     * @param resources the names
     * @param stamp the holder's key and token
     * @throws RefusedWriteException as {@link #claim} does, for the first that refuses
     */
    default void claimAll(Collection<String> resources, FenceStamp stamp) {
        new TreeSet<>(resources).forEach(resource -> claim(resource, stamp));
    }

    /**
     * Tells what a write would be answered now. It protects nothing, because the answer may be different a moment later;
     * it is good for giving up early.
     *
     * @param resource the name of what is guarded
     * @param stamp the writer's key and token
     * @return the verdict
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link io.fenceline.ResourceName}
     */
    Verdict check(String resource, FenceStamp stamp);

    /**
     * Returns the greatest token that wrote to a resource or claimed it.
     *
     * @param resource the name of what is guarded
     * @return the token and its key, or empty if the resource was never fenced
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link io.fenceline.ResourceName}
     */
    Optional<FenceStamp> highest(String resource);
}
