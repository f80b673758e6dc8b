package io.fenceline;

import org.jspecify.annotations.Nullable;

/**
 * Work under a lock, with a result.
 *
 * @param <T> its result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LockCall<T extends @Nullable Object, X extends Exception> {

    /**
     * Does the work.
     *
     * @param lease the held lease; add its stamp to every write
     * @return the result
     * @throws X whatever the work throws
     */
    T call(Lease lease) throws X;
}
