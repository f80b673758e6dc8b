package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.telemetry.NoGrant;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code acquire}: waits for its turn in the local queue, then retries until a lease is granted or the wait is over.
 *
 * <p>All attempts use one lock id. A retry after a lost reply therefore gets the same grant, and releasing that id undoes
 * everything that the attempts left in the backend.
 */
final class Acquiring {

    /** Allowance for a thread that resumes late on a busy machine. */
    private static final long WAKING_NANOS = 5_000_000;

    private final Engine engine;
    private final LockKey key;
    private final LockOptions options;
    private final LocalQueue.Turn turn;
    private final long began;

    private PendingAcquire pending;
    private AttemptTrace trace;
    private int attempts;
    private boolean refused;
    private Optional<Holder> holder = Optional.empty();
    private @Nullable BackendException failure;
    private @Nullable Backoff backoff;
    private @Nullable Wakeups wakeups;
    private long pauseNanos;

    private Acquiring(Engine engine, PendingAcquire pending, LocalQueue.Turn turn, Moment now, long began) {
        this.engine = engine;
        this.key = pending.key();
        this.options = pending.options();
        this.pending = pending;
        this.turn = turn;
        this.trace = AttemptTrace.none(now);
        this.began = began;
        this.pauseNanos = turn.pauseNanos();
    }

    /** Attempts once, unless another thread of this process has the turn. */
    static @Nullable HeldLease tryOnce(Engine engine, LockKey key, LockOptions options) {
        engine.ensureOpen();
        engine.acquireBegun(key);
        LocalQueue.Turn turn = engine.queue().tryEnter(key);
        if (turn == null) {
            engine.notGranted(key, NoGrant.TAKEN, 0, 0);
            return null;
        }
        Moment now = Moment.now(engine.time());
        PendingAcquire pending = new PendingAcquire(key, LockId.random(), options, now.nanos());
        Acquiring acquiring = new Acquiring(engine, pending, turn, now, now.nanos());
        HeldLease lease;
        try {
            lease = acquiring.attempt(now);
            if (lease == null && acquiring.failure != null) {
                throw acquiring.failure;
            }
        } catch (Throwable e) {
            acquiring.abandon(NoGrant.FAILED);
            throw e;
        }
        if (lease == null) {
            acquiring.abandon(NoGrant.TAKEN);
        }
        return lease;
    }

    /** Retries until the wait of the options is over. */
    static HeldLease waitFor(Engine engine, LockKey key, LockOptions options) throws InterruptedException {
        return waitFor(engine, key, options, QueueWait.nanosOf(options.maxWait()));
    }

    /** Retries until the given wait is over. */
    static HeldLease waitFor(Engine engine, LockKey key, LockOptions options, long waitNanos)
            throws InterruptedException {
        engine.ensureOpen();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Moment now = Moment.now(engine.time());
        long began = now.nanos();
        engine.acquireBegun(key);
        PendingAcquire pending = new PendingAcquire(key, LockId.random(), options, began + waitNanos);
        LocalQueue.Turn turn = engine.queue().tryEnter(key);
        if (turn == null) {
            turn = QueueWait.forTurn(engine, pending, began);
            now = Moment.now(engine.time());
        }
        Acquiring acquiring = new Acquiring(engine, pending, turn, now, began);
        HeldLease lease;
        try {
            lease = acquiring.attemptUntilGranted(now);
        } catch (Throwable e) {
            acquiring.abandon(reasonOf(e));
            throw e;
        }
        if (Thread.interrupted()) {
            lease.leavesThread(); // which may return and ask again before the lease is released
            Undo.close(engine, lease, pending.limitNanos());
            throw new InterruptedException();
        }
        return lease;
    }

    private static NoGrant reasonOf(Throwable e) {
        if (e instanceof LockTimeoutException) {
            return NoGrant.TIMED_OUT;
        }
        return e instanceof InterruptedException ? NoGrant.INTERRUPTED : NoGrant.FAILED;
    }

    private HeldLease attemptUntilGranted(Moment now) throws InterruptedException {
        ForwardedReply forwarded = turn.forwarded();
        Moment asked = forwarded == null ? now : forwarded.asked();
        try {
            HeldLease lease = forwarded == null ? null : take(forwarded);
            if (lease == null) {
                ensureNotInterrupted();
            }
            if (forwarded == null && pauseNanos == 0) {
                lease = attempt(asked);
            }
            while (lease == null) {
                if (pending.waitEndNanos() - asked.nanos() <= 0) {
                    throw waitOver();
                }
                lease = pause();
                if (lease == null) {
                    ensureNotInterrupted(); // a pause that a signal ends at once does not notice it
                    engine.ensureOpen();
                    asked = Moment.now(engine.time());
                    if (pending.limitNanos() - asked.nanos() <= 0) {
                        throw waitOver(); // the last attempt used up the time
                    }
                    lease = attempt(asked);
                }
            }
            return lease;
        } finally {
            closeWakeups();
        }
    }

    private LockException waitOver() throws InterruptedException {
        ensureNotInterrupted();
        return failure != null
                ? failure
                : new LockTimeoutException(key, Duration.ofNanos(pending.waitEndNanos() - began), holder);
    }

    private static void ensureNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Attempts once. Without a lease, the fields hold the reason and the pause before the next attempt. */
    private @Nullable HeldLease attempt(Moment asked) {
        engine.ensureOpen();
        attempts++;
        boolean answered = false;
        try {
            HeldLease lease = answered(engine.backend().acquire(request(asked)), asked);
            answered = true;
            return lease;
        } catch (BackendException e) {
            answered = e.effect() == Effect.NONE;
            failed(e);
        } finally {
            if (!answered) {
                trace.unanswered();
            }
        }
        return null;
    }

    private AcquireRequest request(Moment asked) {
        return pending.request(asked, engine.tokensToAskFor(turn));
    }

    /**
     * Uses the reply to the attempt that the previous holder made for us, or the grant that it passed on. If the reply was lost, returns
     * null, and we attempt at once.
     */
    private @Nullable HeldLease take(ForwardedReply forwarded) {
        attempts++;
        trace = AttemptTrace.of(forwarded);
        Cohort cohort = forwarded.cohort();
        if (cohort != null) {
            pending = pending.under(cohort.lockId()); // what is to be released if we give up
        }
        if (cohort != null && forwarded.outcome() instanceof Acquisition.Granted passedOn) {
            return hold(passedOn.grant(), cohort);
        }
        return forwarded.outcome() == null ? null : answered(forwarded.outcome(), forwarded.asked());
    }

    private @Nullable HeldLease answered(Acquisition outcome, Moment asked) {
        failure = null;
        if (outcome instanceof Acquisition.Granted granted) {
            return hold(granted.grant(), null);
        }
        refused((Acquisition.Contended) outcome, asked);
        return null;
    }

    /**
     * Returns whether this waiter may have been handed a lease that ended before the refusal that just arrived. Its late signal would be
     * taken for a grant from after the refusal.
     */
    private boolean mayHaveMissedAGrant() {
        return trace.mayBeLeft()
                && LeaseDeadline.of(trace.earliestGrant(), options).remainingNanos(Moment.now(engine.time())) <= 0;
    }

    /**
     * Creates the lease, unless the reply came so late that the deadline has passed, or the grant is one whose reply was lost and half
     * of its time is over: its holder would have little or nothing of it.
     *
     * @param passedOn the cohort of a grant that was passed on, null for one of the store
     */
    private @Nullable HeldLease hold(Grant granted, @Nullable Cohort passedOn) {
        engine.ensureOpen();
        Moment asked = trace.earliestGrant();
        LeaseDeadline deadline = LeaseDeadline.of(asked, options);
        Moment now = Moment.now(engine.time());
        long tooLittle = trace.replyWasLost() ? deadline.remainingNanos(asked) / 2 : 0;
        if (deadline.remainingNanos(now) <= tooLittle) {
            startOver();
            failure = passedOn == null ? pending.tooLate() : null;
            return null;
        }
        Cohort cohort = passedOn == null ? Cohort.of(granted, asked, options.ttl()) : passedOn;
        Grant grant = cohort == null || passedOn != null ? granted : cohort.first();
        turn.heldBy(options.holder(), cohort, attempts == 1 && !refused, now.nanos());
        HeldLease lease = engine.hold(grant, asked, now, deadline, options, turn);
        engine.granted(grant, began, attempts);
        return lease;
    }

    /** Continues under a new lock id. Signals for the old id would report a grant that is over. */
    private void startOver() {
        undoAttempts();
        closeWakeups();
        pending = pending.underNewId();
        trace = AttemptTrace.startedOver(Moment.now(engine.time()));
        pauseNanos = backoff().nextNanos();
    }

    private void refused(Acquisition.Contended contended, Moment asked) {
        refused = true;
        holder = contended.holder();
        if (mayHaveMissedAGrant()) {
            startOver();
            return;
        }
        trace.refused(asked, contended.queued());
        if (pending.waitEndNanos() - began > 0) {
            long poll = wakeups().expected()
                    ? backoff().safetyNetNanos()
                    : backoff().nextNanos();
            long afterEnd = backoff().afterLeaseEndNanos(contended.remaining().toNanos());
            long third = options.ttl().toNanos() / 3; // a grant counts from this refusal, which must be recent
            pauseNanos = Math.max(1_000_000, Math.min(Math.min(poll, afterEnd), third));
            if (attempts > 1) {
                postNotice(asked);
            }
        }
    }

    /** Announces the next attempt, which reaches the store after the pause and one more round trip. */
    private void postNotice(Moment asked) {
        long now = engine.time().ticker().nanos();
        if (pending.waitEndNanos() - now > 0) {
            long roundTrip = now - asked.nanos();
            engine.notices().post(key, Duration.ofNanos(pauseNanos + 2 * roundTrip + WAKING_NANOS));
        }
    }

    private void failed(BackendException e) {
        engine.ensureOpen(); // close() may have closed the backend during this attempt
        failure = trace.mayHaveChangedTheStore() ? PendingAcquire.ofUnknownEffect(e) : e;
        if (!e.code().isTransient()) {
            throw failure;
        }
        pauseNanos = backoff().nextNanos();
    }

    /** Pauses before the next attempt, at most until the end of the wait. Returns the lease if the lock was handed over meanwhile. */
    private @Nullable HeldLease pause() throws InterruptedException {
        long next = engine.time().ticker().nanos() + pauseNanos;
        long until = next - pending.waitEndNanos() < 0 ? next : pending.waitEndNanos();
        Optional<Grant> handedOver = wakeups().await(until);
        return handedOver.isPresent() ? hold(handedOver.get(), null) : null;
    }

    /** Undoes what the attempts may have left in the backend, and passes the turn on. */
    private void abandon(NoGrant reason) {
        engine.notGranted(key, reason, engine.time().ticker().nanos() - began, attempts);
        try {
            if (trace.mayBeLeft()) {
                undoAttempts();
            }
        } finally {
            turn.leave();
        }
    }

    private void undoAttempts() {
        Undo.release(engine, key, pending.lockId(), options.ttl(), trace.lostReplies(), pending.limitNanos());
    }

    private Backoff backoff() {
        if (backoff == null) {
            backoff = engine.backoff(options.retry());
        }
        return backoff;
    }

    private Wakeups wakeups() {
        if (wakeups == null) {
            wakeups = new Wakeups(engine, key, pending.lockId());
        }
        return wakeups;
    }

    private void closeWakeups() {
        if (wakeups != null) {
            wakeups.close();
            wakeups = null;
        }
    }
}
