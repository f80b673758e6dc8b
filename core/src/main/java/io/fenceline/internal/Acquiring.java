package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Grant;
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

    private final Engine engine;
    private final LockKey key;
    private final LockOptions options;
    private final LocalQueue.Turn turn;
    private final long began;
    private final long giveUpAt;

    private LockId lockId = LockId.random();
    private int attempts;
    private Optional<Holder> holder = Optional.empty();
    private @Nullable BackendException failure;

    /** Whether the backend may have something under the lock id: a grant that we were not told of, or a place in a queue. */
    private boolean traceLeft;

    /** No grant under the lock id is older than this: from before the first attempt, or the last one that was refused. */
    private Moment noneBefore;

    private @Nullable Backoff backoff;
    private @Nullable Wakeups wakeups;
    private long pauseNanos;

    private Acquiring(
            Engine engine,
            LockKey key,
            LockOptions options,
            LocalQueue.Turn turn,
            Moment now,
            long began,
            long giveUpAt) {
        this.engine = engine;
        this.key = key;
        this.options = options;
        this.turn = turn;
        this.noneBefore = now;
        this.began = began;
        this.giveUpAt = giveUpAt;
    }

    /** One attempt, if nobody of this process is in front. */
    static Optional<Lease> tryOnce(Engine engine, LockKey key, LockOptions options) {
        engine.ensureOpen();
        LocalQueue.Turn turn = engine.queue().tryEnter(key);
        if (turn == null) {
            engine.notGranted(key, 0, 0);
            return Optional.empty();
        }
        Moment now = Moment.now(engine.time());
        Acquiring acquiring = new Acquiring(engine, key, options, turn, now, now.nanos(), now.nanos());
        HeldLease lease = null;
        try {
            lease = acquiring.attempt(now);
            if (lease == null && acquiring.failure != null) {
                throw acquiring.failure;
            }
            return Optional.ofNullable(lease);
        } finally {
            if (lease == null) {
                acquiring.abandon();
            }
        }
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
        long giveUpAt = now.nanos() + waitNanos;
        LocalQueue.Turn turn = engine.queue().tryEnter(key);
        if (turn == null) {
            turn = standInLine(engine, key, now.nanos(), giveUpAt);
            now = Moment.now(engine.time());
        }
        Acquiring acquiring = new Acquiring(engine, key, options, turn, now, giveUpAt - waitNanos, giveUpAt);
        HeldLease lease = null;
        try {
            lease = acquiring.attemptUntilGranted(now);
        } finally {
            if (lease == null) {
                acquiring.abandon();
            }
        }
        if (Thread.interrupted()) {
            lease.close();
            throw new InterruptedException();
        }
        return lease;
    }

    private static LocalQueue.Turn standInLine(Engine engine, LockKey key, long began, long giveUpAt)
            throws InterruptedException {
        LocalQueue.Turn turn = null;
        try {
            turn = engine.queue().enter(key, giveUpAt);
        } finally {
            if (turn == null) {
                engine.notGranted(key, engine.time().ticker().nanos() - began, 0);
            }
        }
        if (turn == null) {
            Duration wait = Duration.ofNanos(giveUpAt - began);
            throw new LockTimeoutException(key, wait, engine.queue().holder(key));
        }
        return turn;
    }

    private HeldLease attemptUntilGranted(Moment now) throws InterruptedException {
        Moment asked = now;
        try {
            while (true) {
                HeldLease lease = attempt(asked);
                if (lease == null && giveUpAt - asked.nanos() <= 0) {
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                    throw failure != null
                            ? failure
                            : new LockTimeoutException(key, Duration.ofNanos(giveUpAt - began), holder);
                }
                if (lease == null) {
                    lease = pause();
                }
                if (lease != null) {
                    return lease;
                }
                asked = Moment.now(engine.time());
            }
        } finally {
            closeWakeups();
        }
    }

    /** Asks once; if the answer is not a lease, says why in the fields and how long to pause. */
    private @Nullable HeldLease attempt(Moment asked) {
        engine.ensureOpen();
        attempts++;
        boolean answered = false;
        try {
            Acquisition outcome = engine.backend().acquire(request(asked));
            failure = null;
            HeldLease lease = null;
            if (outcome instanceof Acquisition.Granted granted) {
                lease = hold(granted.grant(), traceLeft ? noneBefore : asked);
            } else {
                noneBefore = asked;
                refused((Acquisition.Contended) outcome);
            }
            answered = true;
            return lease;
        } catch (BackendException e) {
            answered = e.effect() == Effect.NONE;
            failed(e);
        } finally {
            traceLeft |= !answered;
        }
        return null;
    }

    private AcquireRequest request(Moment asked) {
        long left = giveUpAt - asked.nanos();
        Duration patience = left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
        return new AcquireRequest(key, lockId, options.ttl(), options.holder(), 1, patience);
    }

    /**
     * Makes a lease of a grant, unless the answer took so long that it is over for us. The time of a grant that an earlier
     * attempt may have got, or a place in a queue, has been running since then.
     */
    private @Nullable HeldLease hold(Grant grant, Moment asked) {
        LeaseDeadline deadline = LeaseDeadline.countedFrom(asked, options.ttl(), options.marginOf(options.ttl()));
        if (deadline.remainingNanos(Moment.now(engine.time())) <= 0) {
            startOver();
            return null;
        }
        turn.heldBy(options.holder());
        HeldLease lease = engine.hold(grant, asked, deadline, options, turn);
        engine.granted(grant, began, attempts);
        return lease;
    }

    /** Gives up the lock id and all that is bound to it: signals for the old one would speak of a grant that is over. */
    private void startOver() {
        engine.releaseQuietly(key, lockId);
        closeWakeups();
        lockId = LockId.random();
        traceLeft = false;
        noneBefore = Moment.now(engine.time());
        pauseNanos = backoff().nextNanos();
    }

    private void refused(Acquisition.Contended contended) {
        traceLeft |= contended.queued();
        holder = contended.holder();
        if (giveUpAt - began > 0) {
            long poll = wakeups().expected()
                    ? backoff().safetyNetNanos()
                    : backoff().nextNanos();
            long afterEnd = backoff().afterLeaseEndNanos(contended.remaining().toNanos());
            pauseNanos = Math.max(1_000_000, Math.min(poll, afterEnd));
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
        long until = next - giveUpAt < 0 ? next : giveUpAt;
        Optional<Grant> handedOver = wakeups().await(until);
        return handedOver.isPresent() ? hold(handedOver.get(), noneBefore) : null;
    }

    /** Gives up: undoes what the attempts may have left in the backend, and lets the next in line have its turn. */
    private void abandon() {
        engine.notGranted(key, engine.time().ticker().nanos() - began, attempts);
        try {
            if (traceLeft) {
                engine.releaseQuietly(key, lockId);
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
            wakeups = new Wakeups(engine, key, lockId);
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
