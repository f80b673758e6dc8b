package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Grant;
import io.fenceline.spi.Succession;
import io.fenceline.spi.Succession.Turnover;

/**
 * How a lease that its holder releases leaves: it is ended in the backend, and the turn passes to the next in line. Where the
 * backend can, both are one request: it ends the lease and asks for the next in line, who is handed the answer together with
 * the turn.
 */
final class Departure {

    private final Engine engine;
    private final Grant grant;
    private final LocalQueue.Turn turn;

    Departure(Engine engine, Grant grant, LocalQueue.Turn turn) {
        this.engine = engine;
        this.grant = grant;
        this.turn = turn;
    }

    /** Answers whether the backend ended a running lease. The turn passes on, whatever comes of it. */
    boolean leave() {
        Succession succession = engine.succession();
        LocalQueue.Turn successor = succession == null ? null : turn.successor();
        if (succession != null && successor != null) {
            return leaveTo(successor, succession);
        }
        try {
            return engine.release(grant.key(), grant.lockId());
        } finally {
            turn.leave();
        }
    }

    private boolean leaveTo(LocalQueue.Turn successor, Succession succession) {
        Moment asked = Moment.now(engine.time());
        AcquireRequest request = successor.bid().request(asked);
        Acquisition outcome = null;
        boolean nothingDone = false;
        try {
            Turnover turnover =
                    engine.uninterrupted(() -> succession.succeed(grant.lockId(), request, turn.hasHadItsShare()));
            outcome = turnover.outcome();
            return turnover.released();
        } catch (BackendException e) {
            nothingDone = e.effect() == Effect.NONE;
            if (nothingDone) {
                return releaseAlone(e);
            }
            throw e;
        } finally {
            if (nothingDone) {
                turn.leave();
            } else {
                pass(successor, request.lockId(), new LocalQueue.Answer(asked, outcome));
            }
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
    private void pass(LocalQueue.Turn successor, LockId asker, LocalQueue.Answer answer) {
        if (!turn.leaveTo(successor, answer)) {
            try {
                if (answer.mayHaveLeftATrace()) {
                    Undo.release(
                            engine, grant.key(), asker, engine.time().ticker().nanos() + Undo.PATIENCE_NANOS);
                }
            } finally {
                turn.leave();
            }
        }
    }
}
