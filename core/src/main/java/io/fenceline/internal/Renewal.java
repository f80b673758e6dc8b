package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.RetryPolicy;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the renewals of one lease: at a third of its ttl, counted from just before the last successful request, and after a
 * growing pause if a renewal failed. At most one renewal is in flight at a time.
 *
 * <p>Times are on the ticker. The end of the lease is the earlier one of both clocks. If the wall clock runs ahead, as in a sleep of the
 * machine, a renewal is due earlier by as much; a retry keeps its pause.
 *
 * <p>The watch reads it while a renewal thread or the holder changes it. A slightly stale value is corrected by the next
 * step.
 */
final class Renewal {

    /** Lower bound of the pauses, which are halved as the end comes nearer. */
    private static final long MIN_PAUSE_NANOS = 10_000_000;

    private final boolean wanted;
    private final RetryPolicy retry;
    private final Function<RetryPolicy, Backoff> backoffs;
    private volatile long dueNanos;
    private volatile boolean inFlight;
    private volatile long startedNanos;

    /** Reported for the renewal in flight, or null. Written by the watch only. */
    private volatile @Nullable BackendException overdue;

    private volatile @Nullable BackendException lastFailure;

    /** Null unless the last renewal failed. */
    private volatile @Nullable FailureStreak failures;

    /**
     * Consecutive failures.
     *
     * @param backoff the pauses between them
     * @param sinceNanos when the first of them was due
     */
    private record FailureStreak(Backoff backoff, long sinceNanos) {}

    Renewal(boolean wanted, RetryPolicy retry, Function<RetryPolicy, Backoff> backoffs) {
        this.wanted = wanted;
        this.retry = retry;
        this.backoffs = backoffs;
    }

    /** Schedules the next renewal after a grant or an extension. With a wide margin a third of the ttl may be too late; half of the time left is not. */
    void succeeded(long askedNanos, Duration ttl, long leaseEndNanos) {
        dueNanos = askedNanos + Math.min(ttl.toNanos() / 3, (leaseEndNanos - askedNanos) / 2);
        if (lastFailure != null) {
            lastFailure = null;
            failures = null;
        }
    }

    /** Schedules a retry after a failure, early enough for the time that is left. */
    void failed(BackendException failure, long nowNanos, long leaseEndNanos) {
        lastFailure = failure;
        FailureStreak current = failures;
        if (current == null) {
            current = new FailureStreak(backoffs.apply(retry), dueNanos);
            failures = current;
        }
        long half = (leaseEndNanos - nowNanos) / 2;
        long pause = current.backoff().nextNanos();
        dueNanos = nowNanos + (half > MIN_PAUSE_NANOS ? Math.min(pause, half) : pause);
    }

    /** The due time of the renewal; after failures, that of the first one that failed. */
    long wantedNanos() {
        FailureStreak current = failures;
        return current == null ? dueNanos : current.sinceNanos();
    }

    /** Returns whether to start a renewal now, and marks it as in flight. Called by the watch only. */
    boolean startIfDue(long nowNanos, long aheadNanos) {
        boolean due = wanted && !inFlight && due(aheadNanos) - nowNanos <= 0;
        if (due) {
            startedNanos = nowNanos;
            overdue = null;
            inFlight = true; // never write back the value that was read: the renewal may end at this moment
        }
        return due;
    }

    private long due(long aheadNanos) {
        return failures == null ? dueNanos - aheadNanos : dueNanos;
    }

    /** Marks the renewal in flight as done. */
    void ended() {
        inFlight = false;
    }

    /**
     * Returns a failure to report if the renewal in flight has had no reply for a quarter of the time that was left when it started.
     * Otherwise, and if it was reported already, returns null. Called by the watch only.
     */
    @Nullable
    BackendException becomesOverdue(long nowNanos, long leaseEndNanos) {
        if (!inFlight || overdue != null || nowNanos - overdueNanos(leaseEndNanos) < 0) {
            return null;
        }
        overdue = new BackendException(
                ErrorCode.NETWORK_TIMEOUT,
                Effect.UNKNOWN,
                "a renewal has had no reply for " + (nowNanos - startedNanos) / 1_000_000
                        + " ms: the store cannot be reached or does not answer, or all connections of its pool are in use",
                null);
        return overdue;
    }

    private long overdueNanos(long leaseEndNanos) {
        return startedNanos + (leaseEndNanos - startedNanos) / 4;
    }

    /** The due time of the next step: the renewal, its report if it is overdue, or the end of the lease. */
    long nextStep(long leaseEndNanos, long aheadNanos) {
        long next = due(aheadNanos);
        if (inFlight) {
            next = overdue == null ? overdueNanos(leaseEndNanos) : leaseEndNanos;
        }
        return wanted && next - leaseEndNanos < 0 ? next : leaseEndNanos;
    }

    /** The failure of the last renewal, or null. */
    @Nullable
    BackendException lastFailure() {
        BackendException failure = lastFailure;
        return failure == null && inFlight ? overdue : failure;
    }
}
