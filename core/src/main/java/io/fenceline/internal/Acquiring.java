package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.spi.Acquisition;
import io.fenceline.telemetry.NoGrant;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One thread's way to a lease: its turn in the local line, then attempts until one is granted or the wait is over.
 *
 * <p>The attempts carry one lock id. So an attempt whose answer was lost is repeated and not made twice, and whatever the
 * attempts left behind is undone by releasing that id.
 */
final class Acquiring {

    /** A busy machine lets a thread that has paused go on a little later. */
    private static final long WAKING_NANOS = 5_000_000;

    private final Engine engine;
    private final LockKey key;
    private final LockOptions options;
    private final LocalQueue.Turn turn;
    private final long began;

    private Bid bid;
    private AttemptTrace trace;
    private int attempts;
    private Optional<Holder> holder = Optional.empty();
    private @Nullable BackendException failure;
    private @Nullable Backoff backoff;
    private @Nullable Wakeups wakeups;
    private long pauseNanos;

    private Acquiring(Engine engine, Bid bid, LocalQueue.Turn turn, Moment now, long began) {
        this.engine = engine;
        this.key = bid.key();
        this.options = bid.options();
        this.bid = bid;
        this.turn = turn;
        this.trace = AttemptTrace.none(now);
        this.began = began;
        this.pauseNanos = turn.pauseNanos();
    }

    /** One attempt, if nobody of this process is in front. */
    static Optional<Lease> tryOnce(Engine engine, LockKey key, LockOptions options) {
        engine.ensureOpen();
        engine.asked(key);
        LocalQueue.Turn turn = engine.queue().tryEnter(key);
        if (turn == null) {
            engine.notGranted(key, NoGrant.TAKEN, 0, 0);
            return Optional.empty();
        }
        Moment now = Moment.now(engine.time());
        Bid bid = new Bid(key, LockId.random(), options, now.nanos());
        Acquiring acquiring = new Acquiring(engine, bid, turn, now, now.nanos());
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
        return Optional.ofNullable(lease);
    }

    /** Attempts until the wait of the options is over. */
    static HeldLease waitFor(Engine engine, LockKey key, LockOptions options) throws InterruptedException {
        return waitFor(engine, key, options, nanosOf(options.maxWait()));
    }

    /** Attempts until a wait is over. */
    static HeldLease waitFor(Engine engine, LockKey key, LockOptions options, long waitNanos)
            throws InterruptedException {
        engine.ensureOpen();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Moment now = Moment.now(engine.time());
        long began = now.nanos();
        engine.asked(key);
        Bid bid = new Bid(key, LockId.random(), options, began + waitNanos);
        LocalQueue.Turn turn = engine.queue().tryEnter(key);
        if (turn == null) {
            turn = standInLine(engine, bid, began);
            now = Moment.now(engine.time());
        }
        Acquiring acquiring = new Acquiring(engine, bid, turn, now, began);
        HeldLease lease;
        try {
            lease = acquiring.attemptUntilGranted(now);
        } catch (Throwable e) {
            acquiring.abandon(reasonOf(e));
            throw e;
        }
        if (Thread.interrupted()) {
            Undo.close(engine, lease, bid.limitNanos());
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

    private static LocalQueue.Turn standInLine(Engine engine, Bid bid, long began) throws InterruptedException {
        LocalQueue.Turn turn = null;
        NoGrant reason = NoGrant.INTERRUPTED;
        try {
            turn = engine.queue().enter(bid);
            reason = NoGrant.TIMED_OUT;
        } finally {
            if (turn == null) {
                engine.notGranted(bid.key(), reason, engine.time().ticker().nanos() - began, 0);
            }
        }
        if (turn == null) {
            Duration wait = Duration.ofNanos(bid.giveUpAt() - began);
            throw new LockTimeoutException(bid.key(), wait, engine.queue().holder(bid.key()));
        }
        return turn;
    }

    private HeldLease attemptUntilGranted(Moment now) throws InterruptedException {
        LocalQueue.Answer given = turn.answer();
        Moment asked = given == null ? now : given.asked();
        try {
            HeldLease lease = given == null ? null : take(given);
            if (lease == null) {
                ensureNotInterrupted();
            }
            if (given == null && pauseNanos == 0) {
                lease = attempt(asked);
            }
            while (lease == null) {
                if (bid.giveUpAt() - asked.nanos() <= 0) {
                    throw waitOver();
                }
                lease = pause();
                if (lease == null) {
                    engine.ensureOpen();
                    asked = Moment.now(engine.time());
                    if (bid.limitNanos() - asked.nanos() <= 0) {
                        throw waitOver(); // the last attempt took all the time that there was
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
                : new LockTimeoutException(key, Duration.ofNanos(bid.giveUpAt() - began), holder);
    }

    private static void ensureNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Asks once; if the answer is not a lease, says why in the fields and how long to pause. */
    private @Nullable HeldLease attempt(Moment asked) {
        engine.ensureOpen();
        attempts++;
        boolean answered = false;
        try {
            HeldLease lease = answered(engine.backend().acquire(bid.request(asked)), asked);
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

    /** Takes the answer to the attempt that the one in front made for us; not knowing it, asks again at once. */
    private @Nullable HeldLease take(LocalQueue.Answer given) {
        attempts++;
        trace = AttemptTrace.of(given);
        engine.ensureOpen();
        return given.outcome() == null ? null : answered(given.outcome(), given.asked());
    }

    private @Nullable HeldLease answered(Acquisition outcome, Moment asked) {
        failure = null;
        if (outcome instanceof Acquisition.Granted granted) {
            return hold(granted.grant());
        }
        refused((Acquisition.Contended) outcome, asked);
        return null;
    }

    /** Makes a lease of a grant, unless the answer took so long that it is over for us. */
    private @Nullable HeldLease hold(Grant grant) {
        Moment asked = trace.noneBefore();
        LeaseDeadline deadline = LeaseDeadline.countedFrom(asked, options.ttl(), options.marginOf(options.ttl()));
        Moment now = Moment.now(engine.time());
        if (deadline.remainingNanos(now) <= 0) {
            startOver();
            return null;
        }
        turn.heldBy(options.holder(), attempts == 1, now.nanos());
        HeldLease lease = engine.hold(grant, asked, deadline, options, turn);
        engine.granted(grant, began, attempts);
        return lease;
    }

    /** Gives up the lock id and all that is bound to it: signals for the old one would speak of a grant that is over. */
    private void startOver() {
        Undo.release(engine, key, bid.lockId(), options.ttl(), bid.limitNanos());
        closeWakeups();
        bid = bid.underNewId();
        trace = AttemptTrace.none(Moment.now(engine.time()));
        pauseNanos = backoff().nextNanos();
    }

    private void refused(Acquisition.Contended contended, Moment asked) {
        trace.refused(asked, contended.queued());
        holder = contended.holder();
        if (bid.giveUpAt() - began > 0) {
            long poll = wakeups().expected()
                    ? backoff().safetyNetNanos()
                    : backoff().nextNanos();
            long afterEnd = backoff().afterLeaseEndNanos(contended.remaining().toNanos());
            long third =
                    options.ttl().toNanos() / 3; // a grant will count from this refusal, which must not be long ago
            pauseNanos = Math.max(1_000_000, Math.min(Math.min(poll, afterEnd), third));
            if (attempts > 1) {
                postNotice(asked);
            }
        }
    }

    /** The next attempt reaches the store a pause and two ways from now; the refused one tells how long they are. */
    private void postNotice(Moment asked) {
        long now = engine.time().ticker().nanos();
        if (bid.giveUpAt() - now > 0) {
            long roundTrip = now - asked.nanos();
            engine.postNotice(key, Duration.ofNanos(pauseNanos + 2 * roundTrip + WAKING_NANOS));
        }
    }

    private void failed(BackendException e) {
        if (!e.code().isTransient()) {
            throw e;
        }
        failure = e;
        pauseNanos = backoff().nextNanos();
    }

    /** Waits before the next attempt, at most to the end of the wait; answers the lease if it was handed over meanwhile. */
    private @Nullable HeldLease pause() throws InterruptedException {
        long next = engine.time().ticker().nanos() + pauseNanos;
        long until = next - bid.giveUpAt() < 0 ? next : bid.giveUpAt();
        Optional<Grant> handedOver = wakeups().await(until);
        return handedOver.isPresent() ? hold(handedOver.get()) : null;
    }

    /** Gives up: has undone what the attempts may have left in the backend, and lets the next in line have its turn. */
    private void abandon(NoGrant reason) {
        engine.notGranted(key, reason, engine.time().ticker().nanos() - began, attempts);
        try {
            if (trace.isLeft()) {
                Undo.release(engine, key, bid.lockId(), options.ttl(), bid.limitNanos());
            }
        } finally {
            turn.leave();
        }
    }

    private Backoff backoff() {
        if (backoff == null) {
            backoff = engine.backoff(options.retry());
        }
        return backoff;
    }

    private Wakeups wakeups() {
        if (wakeups == null) {
            wakeups = new Wakeups(engine, key, bid.lockId());
        }
        return wakeups;
    }

    private void closeWakeups() {
        if (wakeups != null) {
            wakeups.close();
            wakeups = null;
        }
    }

    /** A wait as nanoseconds that can be added to a ticker. */
    private static long nanosOf(Duration wait) {
        return wait.compareTo(Duration.ofDays(36_500)) > 0 ? Long.MAX_VALUE / 2 : wait.toNanos();
    }
}
