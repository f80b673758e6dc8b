package io.fenceline.spi;

import io.fenceline.LockId;

/**
 * Ends a lease and acquires the lock for the next waiter of the same process, in one atomic step and one round trip. It halves the
 * cost of a lock that many threads of a process contend for. The engine asks backends with this ability for blocks of tokens
 * ({@link AcquireRequest#tokens}), whose leases a process passes on among its threads without a request.
 */
public interface Succession {

    /**
     * Combines {@link LockBackend#release} of {@code last} and {@link LockBackend#acquire} of {@code next}. No other client gets the
     * lock in between, except waiters that are ahead in a backend's wait queue.
     *
     * @param last the lock id of the lease to end
     * @param next the request that follows
     * @param yielding whether waiters of other processes go first, if there are any, because the turn of this process is over. Then
     *     the lease ends, they are signalled, and the outcome is {@link Acquisition.Contended} with the time left to them. A
     *     backend with a wait queue can ignore it
     * @return whether this call ended the lease, and the outcome of the request
     * @throws io.fenceline.BackendException if the store cannot answer. When its effect is {@link
     *     io.fenceline.Effect#UNKNOWN} both may have happened or may still happen; a refusal of the same lock id in the
     *     meantime proves nothing
     */
    Turnover succeed(LockId last, AcquireRequest next, boolean yielding);

    /**
     * The result of both steps.
     *
     * @param released the result of {@link LockBackend#release}
     * @param outcome the result of {@link LockBackend#acquire}
     */
    record Turnover(boolean released, Acquisition outcome) {}
}
