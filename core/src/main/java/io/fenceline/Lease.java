package io.fenceline;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A held lock, until it is released or lost: the live object for a {@link Grant}.
 *
 * <p>The lease has a local deadline. It counts from <em>before</em> the request that granted or renewed the lease was sent, on both
 * the monotonic clock and the wall clock: the first stops while the machine sleeps, the second can be set, and the earlier one
 * counts. It is a safety margin before the end in the store. The methods that read it never do I/O.
 *
 * <p>A lease that is lost stays lost. Its token never changes, so a superseded holder keeps its own, old token and is
 * refused where a newer one was seen.
 *
 * <p>Thread-safe; it is not bound to the thread that acquired it. {@link #release}, {@link #releaseAfter}, {@link #close} and
 * {@link #extend} block on the store; all other methods return at once.
 */
public interface Lease extends AutoCloseable {

    /**
     * Returns the original grant.
     *
     * @return the grant; its expiry does not include renewals
     */
    Grant grant();

    /**
     * Returns the lock key.
     *
     * @return the key
     */
    default LockKey key() {
        return grant().key();
    }

    /**
     * Returns the token of this lease. It never changes, and reading it does no I/O.
     *
     * @return the token
     */
    default FencingToken token() {
        return grant().token();
    }

    /**
     * Returns the stamp for guarded writes.
     *
     * @return the key and the token
     */
    default FenceStamp stamp() {
        return grant().stamp();
    }

    /**
     * Returns whether the lock is held: neither released nor lost, and before its deadline.
     *
     * @return whether it is held now; that can change at any moment, which is why resources check the token
     */
    boolean isHeld();

    /**
     * Returns the time for which the lock is held without another renewal.
     *
     * @return the time to the deadline, zero if it is not held
     */
    Duration remaining();

    /**
     * Throws unless the lease is held.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was released
     */
    void ensureHeld();

    /**
     * Throws unless the lease is held for at least a given time. Call it before an irreversible step.
     *
     * @param needed the maximum duration of the step
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was released, or {@link #remaining()} is shorter than needed
     */
    void ensureRemaining(Duration needed);

    /**
     * Returns a stage that completes when the lease is lost, at its deadline at the latest, even while a renewal blocks. It never completes for a lease that was released in time. Dependents run on a callback thread of {@link
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
     * Releases the lock. It is no longer held from the start of the call, whatever the outcome, and is not renewed any more.
     *
     * <p>If less than the {@linkplain LockOptions#withMinHold minimum hold} has passed since the grant, the store keeps the lock taken
     * for the rest, as {@link #releaseAfter} does.
     *
     * @return the outcome
     * @throws BackendException if the store does not answer. The lock then stays taken to the end of its ttl at most, and
     *     this method can be called again
     */
    ReleaseOutcome release();

    /**
     * Releases the lock for its holder at once and for others after a rest, in place of any minimum hold: the store keeps the lock
     * taken for {@code rest} from now, even if that is longer than the ttl. To its holder the lease is released: it is not renewed,
     * and {@link #lost} never completes. Nobody can acquire the lock during the rest, this process included; a forced release ends
     * it. Lookups show the lock as held until then, since the store does not record that the work has ended.
     *
     * <p>An extension that is still on its way can prolong the rest to its ttl at most.
     *
     * @param rest zero to release at once, at most {@link LockOptions#MAX_TTL}
     * @return the outcome
     * @throws IllegalArgumentException if the rest is negative or too long
     * @throws BackendException if the store does not answer. The lock then stays taken to the end of its ttl or of the rest, and
     *     this method can be called again
     */
    ReleaseOutcome releaseAfter(Duration rest);

    /**
     * Releases the lock like {@link #release}. Idempotent. Never throws: a failure goes to the {@link ReleaseErrorHandler}. After a
     * transient failure, also of {@link #release} before, the release is retried in the background, until the lease ends or the
     * {@link Locks} are closed. If no retry succeeds, the lock stays taken to the end of its ttl, whatever its minimum hold. For a lease
     * that is lost it waits half a second at most, so that a store that hangs does not delay the caller; the release goes on.
     */
    @Override
    void close();

    /**
     * Returns an idempotency key for one step under this grant, for third parties that support such keys but not tokens. Retries of
     * the step get the same key; other steps and other grants get different ones.
     *
     * @param step the name of the step, for instance {@code charge}: 1 to 64 letters, digits, dots, dashes or underscores
     * @return the lock key, the token and the step, joined by slashes
     * @throws IllegalArgumentException if the step has any other form
     */
    default String idempotencyKey(String step) {
        if (!requireNonNull(step, "step").matches("[A-Za-z0-9._-]{1,64}")) {
            throw new IllegalArgumentException(
                    "step '" + step + "' is not 1 to 64 letters, digits, dots, dashes or underscores");
        }
        return key() + "/" + token() + "/" + step;
    }
}
