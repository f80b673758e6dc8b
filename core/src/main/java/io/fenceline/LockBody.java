package io.fenceline;

/**
 * Work that is done under a lock.
 *
 * @param <T> its result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LockBody<T, X extends Exception> {

    /**
     * Does the work.
     *
     * @param lease held when the work starts; its stamp belongs on every write
     * @return the result
     * @throws X whatever the work throws
     */
    T run(Lease lease) throws X;
}
