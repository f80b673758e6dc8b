package io.fenceline;

/**
 * Work under a lock.
 *
 * @param <T> its result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LockBody<T, X extends Exception> {

    /**
     * Does the work.
     *
     * @param lease the held lease; add its stamp to every write
     * @return the result
     * @throws X whatever the work throws
     */
    T run(Lease lease) throws X;
}
