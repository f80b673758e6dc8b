package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockOptions;
import io.fenceline.LossReason;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Extends one lease, for its holder and for its renewals.
 *
 * <p>{@code extending} orders extensions, so that renewals use the ttl of the holder's last one. It is held during I/O. A
 * release does not take it: an extension that races a release finds nothing to extend, since the backend has forgotten the
 * lock id. One that races a release with a rest may prolong the rest, which is taken back.
 */
final class Extensions {

    private final Engine engine;
    private final HeldLease lease;
    private final LockOptions options;
    private final Renewal renewal;
    private final ReentrantLock extending = new ReentrantLock();

    /** The ttl of renewals; guarded by {@code extending}. */
    private Duration ttl;

    Extensions(Engine engine, HeldLease lease, LockOptions options, Renewal renewal) {
        this.engine = engine;
        this.lease = lease;
        this.options = options;
        this.renewal = renewal;
        this.ttl = options.ttl();
    }

    /** Extends for the holder; the lease may be lost afterwards. */
    void extend(Duration newTtl) {
        extending.lock();
        try {
            lease.ensureHeld();
            extendOnce(newTtl);
            undoIfTooLate();
        } finally {
            extending.unlock();
            lease.watchOn();
        }
    }

    /** One renewal. */
    void renew() {
        extending.lock();
        try {
            if (lease.isHeld()) {
                long wantedNanos = renewal.wantedNanos();
                if (extendOnce(ttl)) {
                    emitRenewed(wantedNanos);
                }
                undoIfTooLate();
            }
        } catch (BackendException e) {
            failed(e);
        } catch (RuntimeException | Error e) {
            failed(new BackendException(ErrorCode.INTERNAL, Effect.UNKNOWN, "the backend failed to renew", e));
        } finally {
            extending.unlock();
            renewal.ended();
            lease.watchOn();
        }
    }

    /** Handles a renewal that could not start like one that failed: it is retried. */
    void notStarted(Throwable cause) {
        try {
            failed(new BackendException(ErrorCode.INTERNAL, Effect.NONE, "no renewal can be started", cause));
        } finally {
            renewal.ended();
            lease.watchOn();
        }
    }

    /** Extends in the backend and moves the deadline. If the backend refuses, loses the lease and returns false. Caller holds {@code extending}. */
    private boolean extendOnce(Duration newTtl) {
        Moment asked = Moment.now(engine.time());
        Optional<Instant> end =
                engine.backend().extend(lease.key(), lease.grant().lockId(), newTtl);
        if (end.isEmpty()) {
            lease.lose(LossReason.REFUSED_BY_BACKEND, null);
            return false;
        }
        ttl = newTtl;
        lease.extended(LeaseDeadline.countedFrom(asked, newTtl, options.marginOf(newTtl)), asked);
        renewal.succeeded(asked, newTtl, lease.endNanos());
        if (engine.telemetry().isOn()) {
            engine.telemetry().emit(new LockEvent.Extended(lease.stamp(), newTtl));
        }
        return true;
    }

    /** Undoes an extension whose reply came after the lease's end: it is useless here and would block others. */
    private void undoIfTooLate() {
        if (lease.missedItsDeadline()) {
            Undo.release(engine, lease.key(), lease.grant().lockId(), ttl);
        } else {
            lease.undoExtension(ttl);
        }
    }

    private void emitRenewed(long wantedNanos) {
        if (engine.telemetry().isOn()) {
            long late = engine.time().ticker().nanos() - wantedNanos; // negative if the holder extended just before
            engine.telemetry().emit(new LockEvent.Renewed(lease.stamp(), ttl, Duration.ofNanos(Math.max(0, late))));
        }
    }

    private void failed(BackendException e) {
        renewal.failed(e, engine.time().ticker().nanos(), lease.endNanos());
        if (engine.telemetry().isOn()) {
            engine.telemetry().emit(new LockEvent.RenewalFailed(lease.stamp(), e, lease.remaining()));
        }
    }
}
