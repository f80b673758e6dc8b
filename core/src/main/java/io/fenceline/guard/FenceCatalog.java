package io.fenceline.guard;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import java.util.Map;

/**
 * Lists and changes the fences of a store, for operators. A lock backend whose store also keeps fences has it as an ability.
 *
 * <p>Each change is one atomic step and leaves an audit record, if the store is durable.
 */
public interface FenceCatalog {

    /**
     * Returns a guard on the same fences, with {@link FenceRule#AT_LEAST}.
     *
     * @return the guard
     */
    FenceGuard guard();

    /**
     * Lists fences.
     *
     * @param prefix prefix of the resource names; empty for all
     * @param limit maximum number of fences, at least 1
     * @return the fences by resource, in the order of the names
     * @throws BackendException if the store fails
     */
    Map<String, Fence> list(String prefix, int limit);

    /**
     * Raises a fence, so that smaller tokens are refused from now on. Never lowers it. Use it after a restore from an older copy,
     * or to lock out a holder that hangs.
     *
     * @param resource the resource
     * @param atLeast the lock key and the smallest token that may still write
     * @param by the operator, for the audit record
     * @return the fence as it is now
     * @throws ForeignTokenException if the resource belongs to another lock key
     * @throws BackendException if the store fails
     */
    Fence raise(String resource, FenceStamp atLeast, Holder by);

    /**
     * Assigns a resource to another lock key. From then on every holder of the new lock is accepted, and every holder of the old
     * one is refused. What the resource has seen is forgotten: if it is given back to a lock that it belonged to before, raise it to what it had seen.
     * Columns in which a row keeps its fence or its lock key are not changed: set them to NULL in the rows of the resource.
     *
     * @param resource the resource
     * @param from the present lock key
     * @param to the new lock key
     * @param by the operator, for the audit record
     * @return whether it was reassigned; false if it does not belong to {@code from}
     * @throws BackendException if the store fails
     */
    boolean rebind(String resource, LockKey from, LockKey to, Holder by);
}
