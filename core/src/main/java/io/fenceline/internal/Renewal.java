package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.RetryPolicy;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the renewals of one lease: at a third of its ttl, counted from just before the last successful request, and after a
 * growing pause if a renewal failed. At most one renewal is under way at a time.
 *
 * <p>Read by the watch while a renewal thread or the holder changes it, so what it says may be a moment old; the next step
 * corrects that.
 */
final class Renewal {

    /** As the end comes nearer, pauses are halved down to this. */
    private static final long SHORTEST_PAUSE_NANOS = 10_000_000;

    private final boolean wanted;
    private final RetryPolicy retry;
    private final Function<RetryPolicy, Backoff> backoffs;
    private volatile long dueNanos;
    private volatile boolean inFlight;
    private volatile @Nullable BackendException lastFailure;

    /** Null unless the last renewal failed. */
    private volatile @Nullable Trouble trouble;

    /**
     * Renewals that fail one after another.
     *
     * @param backoff their pauses
     * @param sinceNanos when the first of them was due
     */
    private record Trouble(Backoff backoff, long sinceNanos) {}

    Renewal(boolean wanted, RetryPolicy retry, Function<RetryPolicy, Backoff> backoffs) {
        this.wanted = wanted;
        this.retry = retry;
        this.backoffs = backoffs;
    }

    /** The lease was granted or extended. With a wide margin a third of the ttl may be too late; half the way to the end is not. */
    void succeeded(Moment asked, Duration ttl, long leaseEndNanos) {
        dueNanos = asked.nanos() + Math.min(ttl.toNanos() / 3, (leaseEndNanos - asked.nanos()) / 2);
        if (lastFailure != null) {
            lastFailure = null;
            trouble = null;
        }
    }

    /** A renewal failed now; it is tried again after a pause, and not too late for the lease that is left. */
    void failed(BackendException failure, long nowNanos, long leaseEndNanos) {
        lastFailure = failure;
        Trouble present = trouble;
        if (present == null) {
            present = new Trouble(backoffs.apply(retry), dueNanos);
            trouble = present;
        }
        long half = (leaseEndNanos - nowNanos) / 2;
        long pause = present.backoff().nextNanos();
        dueNanos = nowNanos + (half > SHORTEST_PAUSE_NANOS ? Math.min(pause, half) : pause);
    }

    /** When the lease should have been renewed, tries that failed since then included. */
    long wantedNanos() {
        Trouble present = trouble;
        return present == null ? dueNanos : present.sinceNanos();
    }

    /** Answers whether a renewal is to start now, and notes that it is on its way. Only the watch calls this. */
    boolean startIfDue(long nowNanos) {
        boolean due = wanted && !inFlight && dueNanos - nowNanos <= 0;
        if (due) {
            inFlight = true; // never written back as it was read: the renewal may end at this moment
        }
        return due;
    }

    /** The renewal that was on its way is done. */
    void ended() {
        inFlight = false;
    }

    /** When the lease is to be stepped next: for its renewal or at its end. */
    long nextStep(long leaseEndNanos) {
        return wanted && !inFlight && dueNanos - leaseEndNanos < 0 ? dueNanos : leaseEndNanos;
    }

    /** Why the last renewal failed, if it did. */
    @Nullable
    BackendException lastFailure() {
        return lastFailure;
    }
}
