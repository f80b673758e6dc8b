package io.fenceline.guard;

import static java.util.Objects.requireNonNull;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Stores the greatest token of each resource and refuses smaller ones.
 *
 * <p>Writing differs between stores, so each guard has its own write methods. A write is always one atomic step of the store that
 * compares the token, stores it and makes the effect. This interface has what all guards share.
 *
 * <p>A resource belongs to the lock key of its first stamp. Tokens of different keys cannot be compared, so a stamp of
 * another key is refused with a {@link ForeignTokenException}.
 *
 * <p>The stored token outlives the data: deletion or expiry of the data does not lower it.
 *
 * <p>Thread-safe, and safe across processes. Every refusal also emits a {@link io.fenceline.telemetry.LockEvent}.
 */
public interface FenceGuard {

    /**
     * Raises the fence before the holder's first read. Afterwards no write with a smaller token succeeds, so the data that the
     * holder reads stays valid until it writes. Without a claim a stale holder can still write in between. Idempotent.
     *
     * @param resource the resource
     * @param stamp the holder's key and token
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the resource belongs to another lock key; nothing is changed
     * @throws BackendException if the store fails. A claim of unknown effect can be repeated
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link io.fenceline.ResourceName}
     */
    void claim(String resource, FenceStamp stamp);

    /**
     * Claims several resources, in the order of their names, to avoid deadlocks. Not atomic: if one is refused, the earlier ones
     * stay claimed.
     *
     * @param resources the names
     * @param stamp the holder's key and token
     * @throws RefusedWriteException as {@link #claim}, for the first refused resource
     */
    default void claimAll(Collection<String> resources, FenceStamp stamp) {
        new TreeSet<>(requireNonNull(resources, "resources")).forEach(resource -> claim(resource, stamp));
    }

    /**
     * Returns the verdict that a write would get now. It protects nothing, since the verdict may change at any moment; use it to
     * give up early.
     *
     * @param resource the resource
     * @param stamp the writer's key and token
     * @return the verdict
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link io.fenceline.ResourceName}
     */
    Verdict check(String resource, FenceStamp stamp);

    /**
     * Returns the greatest token that wrote to a resource or claimed it.
     *
     * @param resource the resource
     * @return the token and its key, or empty if the resource was never fenced
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link io.fenceline.ResourceName}
     */
    Optional<FenceStamp> highest(String resource);
}
