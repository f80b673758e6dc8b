package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockOptions;
import io.fenceline.LossReason;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.BulkExtension.Answer;
import io.fenceline.spi.BulkExtension.Extension;
import io.fenceline.telemetry.LockEvent;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Extends one lease, for its holder and for its renewals.
 *
 * <p>{@code extending} orders extensions, so that renewals use the ttl of the holder's last one. It is held during I/O. A
 * release does not take it: an extension that races a release finds nothing to extend, since the backend has forgotten the
 * lock id. One that races a release with a rest may prolong the rest, which is taken back.
 */
final class Extensions {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

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
        if (isDue()) {
            Moment asked = Moment.now(engine.time());
            renewed(
                    asked,
                    () -> engine.backend().extend(lease.key(), lease.grant().lockId(), ttl));
        }
    }

    /** Returns whether renewals of several leases can be sent in one request. */
    boolean areSentInBulk() {
        return engine.bulkExtension() != null;
    }

    /**
     * Renews leases of one engine, in one request if the backend can. A lease that its holder is extending at the moment is renewed by itself
     * afterwards. Runs on a renewal thread and may block on the backend.
     */
    static void renewAll(List<Extensions> all) {
        BulkExtension store = all.get(0).engine.bulkExtension();
        if (store == null) {
            all.forEach(Extensions::renew);
            return;
        }
        List<Extensions> due = new ArrayList<>(all.size());
        List<Extensions> busy = new ArrayList<>();
        for (Extensions each : all) {
            if (!each.extending.tryLock()) {
                busy.add(each);
            } else if (each.isDue()) {
                due.add(each);
            }
        }
        if (!due.isEmpty()) {
            renewDue(store, due);
        }
        busy.forEach(Extensions::renew);
    }

    /** Renews leases whose {@code extending} this thread holds. */
    private static void renewDue(BulkExtension store, List<Extensions> due) {
        Moment asked = Moment.now(due.get(0).engine.time());
        Supplier<List<Answer>> reply;
        try {
            List<Answer> answers = store.extendAll(due.stream()
                    .map(each ->
                            new Extension(each.lease.key(), each.lease.grant().lockId(), each.ttl))
                    .toList());
            reply = () -> answers;
        } catch (Exception | Error e) {
            reply = () -> {
                throw e;
            };
        }
        for (int i = 0; i < due.size(); i++) {
            int place = i;
            Supplier<List<Answer>> replies = reply;
            try {
                due.get(i).renewed(asked, () -> replies.get().get(place).end());
            } catch (Exception | Error e) { // the others must be ended too
                LOG.log(Level.ERROR, "a renewal failed unexpectedly", e);
            }
        }
    }

    /** Returns whether the lease is still held and a renewal is going to be sent. If not, ends the renewal. Caller holds {@code extending}. */
    private boolean isDue() {
        boolean due = false;
        try {
            due = lease.isHeld() && lease.beginExtension();
        } finally {
            if (!due) {
                ended();
            }
        }
        return due;
    }

    /** Uses the reply to a renewal, and ends the renewal. Caller holds {@code extending}. */
    void renewed(Moment asked, Supplier<Optional<Instant>> reply) {
        try {
            long wantedNanos = renewal.wantedNanos();
            if (extended(asked, ttl, reply.get())) {
                emitRenewed(wantedNanos);
            }
            undoIfTooLate();
        } catch (BackendException e) {
            failed(e);
        } catch (Exception | Error e) {
            failed(new BackendException(ErrorCode.INTERNAL, Effect.UNKNOWN, "the backend failed to renew", e));
        } finally {
            ended();
        }
    }

    private void ended() {
        extending.unlock();
        renewal.ended();
        lease.watchOn();
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

    /** Returns how far the wall clock has run ahead of the ticker since the deadline was set, as of the watch's last look. */
    long aheadNanos() {
        return lease.deadline().wallAheadNanos(engine.renewer().lastLook());
    }

    /** Reports the renewal in flight, once, if it has had no reply for too long. Called by the watch, which user code must not delay. */
    void reportOverdue(Moment now, LeaseDeadline deadline) {
        BackendException overdue = renewal.becomesOverdue(now.nanos(), deadline.endNanos() - aheadNanos());
        if (overdue != null && engine.telemetry().isOn()) {
            Duration left = Duration.ofNanos(deadline.remainingNanos(now));
            engine.callback(() -> engine.telemetry().emit(new LockEvent.RenewalFailed(lease.stamp(), overdue, left)));
        }
    }

    /** Extends in the backend and moves the deadline. If the backend refuses, loses the lease and returns false. Caller holds {@code extending}. */
    private boolean extendOnce(Duration newTtl) {
        if (!lease.beginExtension()) {
            return false; // released meanwhile
        }
        Moment asked = Moment.now(engine.time());
        return extended(
                asked,
                newTtl,
                engine.backend().extend(lease.key(), lease.grant().lockId(), newTtl));
    }

    private boolean extended(Moment asked, Duration newTtl, Optional<Instant> end) {
        if (end.isEmpty()) {
            lease.lose(LossReason.REFUSED_BY_BACKEND, null);
            return false;
        }
        ttl = newTtl;
        lease.extended(LeaseDeadline.countedFrom(asked, newTtl, options.marginOf(newTtl)), asked);
        LeaseDeadline deadline = lease.deadline(); // that of before, if it is later
        renewal.succeeded(asked.nanos() + deadline.wallAheadNanos(asked), newTtl, deadline.endNanos());
        if (engine.telemetry().isOn()) {
            engine.telemetry().emit(new LockEvent.Extended(lease.stamp(), newTtl));
        }
        return true;
    }

    /** Undoes an extension whose reply came after the lease's end: it is useless here and would block others. */
    private void undoIfTooLate() {
        if (lease.missedItsDeadline()) {
            Undo.release(engine, lease.key(), lease.grant().lockId(), ttl, 0);
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
        renewal.failed(e, engine.time().ticker().nanos(), lease.endNanos() - aheadNanos());
        if (engine.telemetry().isOn()) {
            engine.telemetry().emit(new LockEvent.RenewalFailed(lease.stamp(), e, lease.remaining()));
        }
    }
}
