package io.fenceline.spi;

import io.fenceline.LockId;

/**
 * The ability to end a lease and to take the lock for the next waiter of the same process, in one atomic step and one round
 * trip. It halves what a lock costs that many threads of a process want.
 */
public interface Succession {

    /**
     * Does what {@link LockBackend#release} of {@code last} and {@link LockBackend#acquire} of {@code next} do, one right
     * after the other: nobody is granted the lock in between, unless the backend keeps a queue of waiters, in which others
     * stand in front.
     *
     * @param last the id whose lease of the same key is to end
     * @param next the request that follows
     * @param yielding whether others shall have the lock first if any of them waits: this process has had its share. Then
     *     the lease ends, they are signalled, and the request is answered with {@link Acquisition.Contended}, whose
     *     remaining time is what they are given to come. A backend with a queue need not be told
     * @return whether the lease was ended by this call, and how the request was answered
     * @throws io.fenceline.BackendException if the store cannot answer. When its effect is {@link
     *     io.fenceline.Effect#UNKNOWN} both may have happened or may happen yet; a refusal of the same lock id meanwhile says
     *     nothing of it
     */
    Turnover succeed(LockId last, AcquireRequest next, boolean yielding);

    /**
     * The result of both steps.
     *
     * @param released what {@link LockBackend#release} would have answered
     * @param outcome what {@link LockBackend#acquire} would have answered
     */
    record Turnover(boolean released, Acquisition outcome) {}
}
