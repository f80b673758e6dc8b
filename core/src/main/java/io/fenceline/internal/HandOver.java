package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Grant;
import io.fenceline.ReleaseOutcome;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Succession;
import io.fenceline.spi.Succession.Turnover;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Releases a lease and passes the turn to the next local waiter. A lease of a {@link Cohort} passes the lock on as well, without
 * asking the store. Otherwise, with {@link Succession}, one request ends the lease and acquires for that waiter, who is handed the
 * reply together with the turn. With a rest, the store keeps the lock and the waiter asks for itself.
 */
final class HandOver {

    /** The ways in which a lease is left. */
    private enum Left {
        RELEASED,
        ENDED_BEFORE,
        /** Another thread of this process has the lock; the store was not asked. */
        PASSED_ON;

        static Left of(boolean released) {
            return released ? RELEASED : ENDED_BEFORE;
        }
    }

    private static final Object ASKED = new Object();

    private final Engine engine;
    private final Grant grant;
    private final LocalQueue.Turn turn;

    /** {@link #ASKED} from the first release on; after a failure: that failure if it may be due to an outage, otherwise null. */
    private final AtomicReference<@Nullable Object> asked = new AtomicReference<>();

    /** The end of the rest by the ticker; null unless the lease was released with a rest. */
    private volatile @Nullable Long restEndNanos;

    HandOver(Engine engine, Grant grant, LocalQueue.Turn turn) {
        this.engine = engine;
        this.grant = grant;
        this.turn = turn;
    }

    /**
     * Releases the lease once; later calls return {@code ALREADY_RELEASED}. After a failure it can be called again.
     *
     * @param ended whether the caller has just ended the lease and therefore passes the turn on
     * @param rest for which the store keeps the lock taken; then local waiters wait for it through the store, like all others
     */
    ReleaseOutcome leave(boolean ended, Duration rest) {
        Object before = asked.get();
        if (before == ASKED || !asked.compareAndSet(before, ASKED)) {
            if (ended) {
                turn.leave(); // another thread's release is under way
            }
            return ReleaseOutcome.ALREADY_RELEASED;
        }
        boolean answered = false;
        BackendException outage = null;
        turn.leaveBegins();
        try {
            Left left = rest.isZero() ? release(ended) : Left.of(keep(ended, rest));
            answered = true;
            ReleaseOutcome outcome = left == Left.ENDED_BEFORE ? ReleaseOutcome.ALREADY_ENDED : ReleaseOutcome.RELEASED;
            if (engine.telemetry().isOn()) {
                boolean passedOn = left == Left.PASSED_ON;
                engine.telemetry().emit(new LockEvent.Released(grant.stamp(), outcome, rest, passedOn));
            }
            return outcome;
        } catch (RuntimeException e) {
            outage = e instanceof BackendException failed && failed.code().isTransient() ? failed : null;
            if (!answered && engine.telemetry().isOn()) {
                engine.telemetry().emit(new LockEvent.ReleaseFailed(grant.stamp(), e));
            }
            throw e;
        } finally {
            if (!answered) {
                asked.set(outage);
            }
        }
    }

    /** Throws the failure of the latest release again, if that may have been due to an outage. */
    void ensureNoOutage() {
        if (asked.get() instanceof BackendException outage) {
            throw outage;
        }
    }

    /** The latest release is repeated by somebody else. */
    void forgetOutage() {
        Object before = asked.get();
        if (before instanceof BackendException) {
            asked.compareAndSet(before, null);
        }
    }

    /** From now on the lease passes nothing on. The caller looks afterwards whether the lease has ended. */
    void extensionBegins() {
        Cohort cohort = turn.cohort();
        if (cohort != null) {
            cohort.extensionBegins();
        }
    }

    private Left release(boolean ended) {
        return ended ? leave() : Left.of(engine.release(grant.key(), grant.lockId()));
    }

    /** Returns whether the lease ran, and now runs for the rest. */
    private boolean keep(boolean ended, Duration rest) {
        restEndNanos = engine.time().ticker().nanos() + rest.toNanos();
        try {
            return engine.releaseAfter(grant.key(), grant.lockId(), rest);
        } finally {
            if (ended) {
                turn.leave();
            }
        }
    }

    /** Takes back what an extension by a ttl added to the rest. No-op if the lease was not released with a rest. */
    void undoExtension(Duration ttl) {
        Long until = restEndNanos;
        if (until != null) {
            Undo.extension(engine, grant.key(), grant.lockId(), ttl, until);
        }
    }

    /** Passes the lock on, or ends the lease at the backend. Passes the turn on in any case. */
    private Left leave() {
        Succession succession = engine.succession();
        LocalQueue.Turn successor = succession == null ? null : turn.successor();
        while (succession != null && successor != null) {
            Moment now = Moment.now(engine.time());
            ForwardedReply next = next(successor, now);
            if (next == null) {
                return Left.of(leaveTo(successor, succession, now));
            }
            if (turn.leaveTo(successor, next, true)) {
                return Left.PASSED_ON;
            }
            successor = turn.successor(); // the one before gave up
        }
        long pauseNanos = 0;
        try {
            boolean released = engine.release(grant.key(), grant.lockId());
            pauseNanos = pauseNanos();
            return Left.of(released);
        } finally {
            turn.leave(pauseNanos);
        }
    }

    /** The time for which the next local waiter leaves the lock to other processes. */
    private long pauseNanos() {
        return turn.isCheckDue() ? engine.notices().pauseForOthers(grant.key()).toNanos() : 0;
    }

    /** Returns the grant that a successor is passed without asking the store, or null. */
    private @Nullable ForwardedReply next(LocalQueue.Turn successor, Moment now) {
        Cohort cohort = turn.cohort();
        return cohort == null || turn.isTenureOver(now.nanos())
                ? null
                : cohort.next(grant, successor.pending().options(), now);
    }

    private boolean leaveTo(LocalQueue.Turn successor, Succession succession, Moment now) {
        AcquireRequest request = successor.pending().request(now, engine.tokensToAskFor(turn));
        boolean yielding = isTenureOver(now);
        Acquisition outcome = null;
        try {
            boolean[] repeated = new boolean[1];
            Turnover turnover = engine.uninterrupted(again -> {
                repeated[0] = again;
                return succession.succeed(grant.lockId(), request, yielding);
            });
            boolean provesNothing = repeated[0] && turnover.outcome() instanceof Acquisition.Contended;
            outcome = provesNothing ? null : turnover.outcome(); // the first copy may still be executed
            return turnover.released() || repeated[0];
        } catch (BackendException e) {
            if (e.effect() == Effect.NONE) {
                return releaseAlone(e);
            }
            throw e;
        } finally {
            // After a failure too: a late copy of the request may still be granted, and such a grant counts from now.
            pass(successor, request, ForwardedReply.ofBackend(now, outcome), !yielding);
        }
    }

    /** Returns whether threads of this process have had the lock for long enough, or often enough. */
    private boolean isTenureOver(Moment now) {
        Cohort cohort = turn.cohort();
        return turn.isTenureOver(now.nanos()) || (cohort != null && cohort.isLast(grant));
    }

    /** Releases without acquiring for the next waiter: a store whose memory is full refuses new entries and still accepts a release. */
    private boolean releaseAlone(BackendException refusal) {
        try {
            return engine.release(grant.key(), grant.lockId());
        } catch (BackendException e) {
            if (e != refusal) {
                e.addSuppressed(refusal);
            }
            throw e;
        }
    }

    /** Hands the reply over. If the waiter has given up, undoes the acquire made for it. */
    private void pass(LocalQueue.Turn successor, AcquireRequest request, ForwardedReply answer, boolean inTenure) {
        if (!turn.leaveTo(successor, answer, inTenure)) {
            try {
                if (answer.mayHaveLeftSomething()) {
                    Undo.release(
                            engine, request.key(), request.lockId(), request.ttl(), answer.outcome() == null ? 1 : 0);
                }
            } finally {
                turn.leave();
            }
        }
    }
}
