package io.fenceline.guard;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import java.util.Map;

/**
 * Operators' view of the fences in a store. A lock backend whose store also keeps fences offers it as an ability.
 *
 * <p>Each change is one atomic step and leaves an audit record, if the store is durable.
 */
public interface FenceCatalog {

    /**
     * Returns a guard on the same fences, whose holders write as often as they like.
     *
     * @return the guard
     */
    FenceGuard guard();

    /**
     * Lists fences.
     *
     * @param prefix what the resources' names begin with; empty for all
     * @param limit how many at most, at least 1
     * @return the fences by resource, in the order of the names
     * @throws BackendException if the store fails
     */
    Map<String, Fence> list(String prefix, int limit);

    /**
     * Raises a fence, so that smaller tokens are refused from now on. Lowers nothing. Used after fences were restored from
     * an older copy, and to shut out a holder that is known to be stuck.
     *
     * @param resource the name of what is guarded
     * @param atLeast the lock key and the smallest token that may still write
     * @param by who does it, for the audit record
     * @return the fence as it is now
     * @throws ForeignTokenException if the resource belongs to another lock key
     * @throws BackendException if the store fails
     */
    Fence raise(String resource, FenceStamp atLeast, Holder by);

    /**
     * Gives a resource to another lock key. Every holder of the new lock is accepted from then on, and every
     * holder of the old one is refused.
     *
     * @param resource the name of what is guarded
     * @param from the key that it belongs to now
     * @param to the key that it shall belong to
     * @param by who does it, for the audit record
     * @return whether it was done; not if the resource does not belong to {@code from}
     * @throws BackendException if the store fails
     */
    boolean rebind(String resource, LockKey from, LockKey to, Holder by);
}
