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
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Releases a lease for its holder: ends it in the backend and passes the turn to the next in line. Where the backend can, both
 * are one request: it ends the lease and asks for the next in line, who is handed the answer together with the turn.
 */
final class Departure {

    private final Engine engine;
    private final Grant grant;
    private final LocalQueue.Turn turn;
    private final AtomicBoolean asked = new AtomicBoolean();

    Departure(Engine engine, Grant grant, LocalQueue.Turn turn) {
        this.engine = engine;
        this.grant = grant;
        this.turn = turn;
    }

    /**
     * Releases the lease, or answers that this was done before. After a failure it may be asked for again.
     *
     * @param ended whether the caller has just ended the lease, so that the turn is its to pass on
     */
    ReleaseOutcome leave(boolean ended) {
        if (!asked.compareAndSet(false, true)) {
            if (ended) {
                turn.leave(); // another thread's release is under way
            }
            return ReleaseOutcome.ALREADY_RELEASED;
        }
        boolean answered = false;
        try {
            boolean released = ended ? leave() : engine.release(grant.key(), grant.lockId());
            answered = true;
            ReleaseOutcome outcome = released ? ReleaseOutcome.RELEASED : ReleaseOutcome.ALREADY_ENDED;
            if (engine.telemetry().isOn()) {
                engine.telemetry().emit(new LockEvent.Released(grant.stamp(), outcome));
            }
            return outcome;
        } catch (RuntimeException e) {
            if (!answered && engine.telemetry().isOn()) {
                engine.telemetry().emit(new LockEvent.ReleaseFailed(grant.stamp(), e));
            }
            throw e;
        } finally {
            if (!answered) {
                asked.set(false);
            }
        }
    }

    /** Answers whether the backend ended a running lease. The turn passes on, whatever comes of it. */
    private boolean leave() {
        Succession succession = engine.succession();
        LocalQueue.Turn successor = succession == null ? null : turn.successor();
        if (succession != null && successor != null) {
            return leaveTo(successor, succession);
        }
        long pauseNanos = 0;
        try {
            boolean released = engine.release(grant.key(), grant.lockId());
            pauseNanos = pauseNanos();
            return released;
        } finally {
            turn.leave(pauseNanos);
        }
    }

    /** How long the next in line is to leave the lock to other processes. */
    private long pauseNanos() {
        return turn.isTenureOver() ? engine.pauseForOthers(grant.key()).toNanos() : 0;
    }

    private boolean leaveTo(LocalQueue.Turn successor, Succession succession) {
        Moment now = Moment.now(engine.time());
        AcquireRequest request = successor.bid().request(now);
        Acquisition outcome = null;
        try {
            boolean[] mayBeReleased = new boolean[1];
            Turnover turnover = engine.uninterrupted(again -> {
                mayBeReleased[0] = again;
                return succession.succeed(grant.lockId(), request, turn.hasHadItsShare());
            });
            outcome = turnover.outcome();
            return turnover.released() || mayBeReleased[0];
        } catch (BackendException e) {
            if (e.effect() == Effect.NONE) {
                return releaseAlone(e);
            }
            throw e;
        } finally {
            // Also if nothing was done: a copy of the request may still be granted, and such a grant counts from now.
            pass(successor, request, new LocalQueue.Answer(now, outcome));
        }
    }

    /** Ends the lease by itself: a store may refuse what is written for the next and still take a release, as when its memory is full. */
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

    /** Hands the answer over; if nobody is there to take it any more, undoes what was asked for. */
    private void pass(LocalQueue.Turn successor, AcquireRequest request, LocalQueue.Answer answer) {
        if (!turn.leaveTo(successor, answer)) {
            try {
                if (answer.mayHaveLeftATrace()) {
                    Undo.release(engine, request.key(), request.lockId(), request.ttl());
                }
            } finally {
                turn.leave();
            }
        }
    }
}
