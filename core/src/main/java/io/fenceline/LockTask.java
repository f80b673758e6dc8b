package io.fenceline;

/**
 * Work under a lock, without a result.
 *
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LockTask<X extends Exception> {

    /**
     * Does the work.
     *
     * @param lease the held lease; add its stamp to every write
     * @throws X whatever the work throws
     */
    void run(Lease lease) throws X;
}
