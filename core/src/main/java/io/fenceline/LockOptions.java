package io.fenceline;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of acquiring and holding a lock.
 *
 * @param ttl how long the store keeps the lease without a renewal
 * @param maxWait how long {@code acquire} waits; zero means one attempt. {@code tryAcquire} ignores it. If the store does not
 *     answer, a call can take {@link #WAIT_SLACK} longer
 * @param retry the pauses between attempts
 * @param renewed whether the lease is renewed at a third of its ttl for as long as it is held
 * @param safetyMargin how long before the end of the ttl the local deadline is, or null for a twentieth of the ttl. It covers
 *     clock drift and the time to stop
 * @param interruptedOnLoss whether {@link Locks#run} interrupts the thread that runs the body when the lease is lost
 * @param minHold how long the lock stays taken after its grant although it is released sooner; zero if it does not
 * @param holder who holds the lock, for display
 */
public record LockOptions(
        Duration ttl,
        Duration maxWait,
        RetryPolicy retry,
        boolean renewed,
        @Nullable Duration safetyMargin,
        boolean interruptedOnLoss,
        Duration minHold,
        Holder holder) {

    /**
     * The maximum by which {@code acquire} and {@code tryAcquire} exceed their wait when the store does not answer: the timeout of
     * the last attempt.
     */
    public static final Duration WAIT_SLACK = Duration.ofSeconds(2);

    /** The longest ttl. */
    public static final Duration MAX_TTL = Duration.ofDays(365);

    private static final LockOptions DEFAULTS = new LockOptions(
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            RetryPolicy.defaults(),
            true,
            null,
            false,
            Duration.ZERO,
            Holder.ofThisProcess());

    /**
     * Checks the durations.
     *
     * @throws IllegalArgumentException if the ttl is not above zero, the longest wait is negative, the safety margin does not
     *     leave any time, or the minimum hold is negative or above {@link #MAX_TTL}
     */
    public LockOptions {
        requireTtl(ttl);
        requireNonNull(maxWait, "maxWait");
        requireNonNull(retry, "retry");
        requireNonNull(minHold, "minHold");
        requireNonNull(holder, "holder");
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait is " + maxWait + ", it cannot be negative");
        }
        if (safetyMargin != null && (safetyMargin.isNegative() || safetyMargin.compareTo(ttl) >= 0)) {
            throw new IllegalArgumentException(
                    "safetyMargin is " + safetyMargin + ", it must be from zero to less than the ttl (" + ttl + ")");
        }
        if (minHold.isNegative() || minHold.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException(
                    "minHold is " + minHold + ", it must be from zero to " + MAX_TTL.toDays() + " days");
        }
    }

    /**
     * Returns the default options: ttl 30 s, wait 5 s, {@link RetryPolicy#defaults()},
     * renewed, no interrupt, held by {@link Holder#ofThisProcess()}.
     *
     * @return the default options
     */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Checks a ttl.
     *
     * @param ttl the duration to check
     * @return the same duration
     * @throws IllegalArgumentException if it is zero, negative, or above {@link #MAX_TTL}
     */
    public static Duration requireTtl(Duration ttl) {
        requireNonNull(ttl, "ttl");
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException(
                    "ttl is " + ttl + ", it must be above zero and at most " + MAX_TTL.toDays() + " days");
        }
        return ttl;
    }

    /**
     * Returns the safety margin for a ttl.
     *
     * @param ttl the ttl of the lease, initially {@link #ttl()}
     * @return the safety margin, or half of the ttl if the configured margin would leave no time
     */
    public Duration marginOf(Duration ttl) {
        requireNonNull(ttl, "ttl");
        if (safetyMargin == null) {
            return Duration.ofNanos(ttl.toNanos() / 20); // Duration.dividedBy is slow
        }
        return safetyMargin.compareTo(ttl) < 0 ? safetyMargin : Duration.ofNanos(ttl.toNanos() / 2);
    }

    /**
     * Returns a copy with another ttl.
     *
     * @param ttl above zero
     * @return the changed options
     */
    public LockOptions withTtl(Duration ttl) {
        return new LockOptions(ttl, maxWait, retry, renewed, safetyMargin, interruptedOnLoss, minHold, holder);
    }

    /**
     * Returns a copy with another longest wait.
     *
     * @param maxWait zero or more
     * @return the changed options
     */
    public LockOptions withMaxWait(Duration maxWait) {
        return new LockOptions(ttl, maxWait, retry, renewed, safetyMargin, interruptedOnLoss, minHold, holder);
    }

    /**
     * Returns a copy with another retry policy.
     *
     * @param retry the pauses between attempts
     * @return the changed options
     */
    public LockOptions withRetry(RetryPolicy retry) {
        return new LockOptions(ttl, maxWait, retry, renewed, safetyMargin, interruptedOnLoss, minHold, holder);
    }

    /**
     * Returns a copy whose lease is not renewed: it ends after its ttl unless {@link Lease#extend} is called.
     *
     * @return the changed options
     */
    public LockOptions withoutRenewal() {
        return new LockOptions(ttl, maxWait, retry, false, safetyMargin, interruptedOnLoss, minHold, holder);
    }

    /**
     * Returns a copy with another safety margin.
     *
     * @param safetyMargin less than the ttl
     * @return the changed options
     */
    public LockOptions withSafetyMargin(Duration safetyMargin) {
        requireNonNull(safetyMargin, "safetyMargin");
        return new LockOptions(ttl, maxWait, retry, renewed, safetyMargin, interruptedOnLoss, minHold, holder);
    }

    /**
     * Returns a copy for which {@link Locks#run} interrupts the body when the lease is lost. The thread's interrupt status is clear
     * afterwards, unless a body around this one is to be interrupted too. An interrupt by anybody else at the same time is taken for this one,
     * such as that of a leader's listener whose term ends: what works on after a loss asks whether it still leads.
     *
     * @return the changed options
     */
    public LockOptions withInterruptOnLoss() {
        return new LockOptions(ttl, maxWait, retry, renewed, safetyMargin, true, minHold, holder);
    }

    /**
     * Returns a copy with a minimum hold: a lock that is released sooner is over for its holder at once, and stays taken in the store
     * for the rest. For a scheduled job that several machines start at about the same time: one that is late by clock skew or a slow
     * start then finds the lock taken although the job has ended, and does not run it again. So the minimum hold is longer than the
     * skew and shorter than the schedule's interval.
     *
     * <p>It counts from the reply to the grant, and may be longer than the ttl. It is no promise for a holder that crashes or loses
     * the lease, or whose release the store does not answer until the lease ends: then the lock may be free after the ttl, as ever. {@link
     * Lease#releaseAfter} takes its place for one release.
     *
     * @param minHold from zero, which is none, to {@link #MAX_TTL}
     * @return the changed options
     */
    public LockOptions withMinHold(Duration minHold) {
        return new LockOptions(ttl, maxWait, retry, renewed, safetyMargin, interruptedOnLoss, minHold, holder);
    }

    /**
     * Returns a copy with another holder.
     *
     * @param holder who holds the lock, for display
     * @return the changed options
     */
    public LockOptions withHolder(Holder holder) {
        return new LockOptions(ttl, maxWait, retry, renewed, safetyMargin, interruptedOnLoss, minHold, holder);
    }
}
