package io.fenceline;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A lock that is held until its lease is released or lost: the live object around a {@link Grant}.
 *
 * <p>The lease has a deadline of its own. It is counted from <em>before</em> the request that granted or renewed it was
 * sent, on the monotonic clock and on the wall clock (a sleeping machine stops the first, an administrator can set the
 * second; the earlier one counts), and lies a safety margin before the end that the store knows. The methods that read it
 * never do I/O.
 *
 * <p>A lease that is lost stays lost. Its token never changes, so a superseded holder keeps its own, old token and is
 * refused where a newer one was seen.
 *
 * <p>Safe for all threads; it does not belong to the thread that acquired it. {@link #release}, {@link #close} and {@link
 * #extend} ask the store and block meanwhile, everything else returns at once.
 */
public interface Lease extends AutoCloseable {

    /**
     * Returns the grant that this lease is around, as the store gave it.
     *
     * @return the grant; its end does not follow renewals
     */
    Grant grant();

    /**
     * Returns what is locked.
     *
     * @return the key
     */
    default LockKey key() {
        return grant().key();
    }

    /**
     * Returns the token of this lease. It never changes and never asks the store.
     *
     * @return the token
     */
    default FencingToken token() {
        return grant().token();
    }

    /**
     * Returns what a guarded write carries.
     *
     * @return the key and the token
     */
    default FenceStamp stamp() {
        return grant().stamp();
    }

    /**
     * Tells whether the holder may count on the lock: it is neither released nor lost, and its deadline has not passed.
     *
     * @return whether it is held at this moment; the next moment may be different, which is why resources check the token
     */
    boolean isHeld();

    /**
     * Returns how long the holder may count on the lock if no renewal succeeds any more.
     *
     * @return the time to the deadline, zero if it is not held
     */
    Duration remaining();

    /**
     * Does nothing if the lease is held.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was released
     */
    void ensureHeld();

    /**
     * Does nothing if the lease is held for a while longer; call it before a step that cannot be taken back.
     *
     * @param needed how long the step takes at the most
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was released, or {@link #remaining()} is shorter than needed
     */
    void ensureRemaining(Duration needed);

    /**
     * Returns a stage that completes when the lease is lost, at its deadline at the latest, whatever a renewal is waiting
     * for. It never completes for a lease that was released in time. Dependents run on a callback thread of {@link
     * Locks}, or on the thread that adds them if the lease is lost already.
     *
     * @return a stage that completes normally, with the exception that {@link #ensureHeld} throws from then on
     */
    CompletionStage<LeaseLostException> lost();

    /**
     * Moves the end to {@code ttl} from now unless the lease runs longer already, and makes it the ttl of further renewals. A
     * ttl that is shorter than what is left does not shorten the running lease; release it to end it sooner.
     *
     * @param ttl the time from now on
     * @throws LeaseLostException if the lease is lost, or the store no longer has it
     * @throws IllegalStateException if it was released
     * @throws BackendException if the store does not answer. The lease then runs to its old deadline
     */
    void extend(Duration ttl);

    /**
     * Ends the lease. It is no longer held from the moment of the call, whatever its outcome; no renewal starts after it.
     *
     * @return what the release found
     * @throws BackendException if the store does not answer. The lock then stays taken to the end of its ttl at most, and
     *     this method can be called again
     */
    ReleaseOutcome release();

    /**
     * Ends the lease as {@link #release} does. Never throws and can be called again; a failure goes to the {@link
     * ReleaseErrorHandler}.
     */
    @Override
    void close();

    /**
     * Returns a key that is the same for every repetition of one step under this grant and different for every other: for
     * third parties that know idempotency keys but no tokens.
     *
     * @param step the name of the step, for instance {@code charge}: 1 to 64 letters, digits, dots, dashes or underscores
     * @return the lock key, the token and the step, joined by slashes
     * @throws IllegalArgumentException if the step has any other form
     */
    default String idempotencyKey(String step) {
        if (!step.matches("[A-Za-z0-9._-]{1,64}")) {
            throw new IllegalArgumentException(
                    "step '" + step + "' is not 1 to 64 letters, digits, dots, dashes or underscores");
        }
        return key() + "/" + token() + "/" + step;
    }
}
