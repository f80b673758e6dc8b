package io.fenceline.internal;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockOptions;
import io.fenceline.LossReason;
import io.fenceline.ReleaseOutcome;
import io.fenceline.spi.Checks;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lease from its grant to its end. It ends once, by release or by loss, through compare-and-set on {@code end}. The thread that ends it
 * passes the local turn on: after its release call, or at once on a loss. An ended lease never becomes held again.
 */
final class HeldLease implements Lease {

    private sealed interface End {
        record Released() implements End {}

        record Lost(LossReason reason, @Nullable Throwable cause) implements End {}
    }

    private static final End RELEASED = new End.Released();

    /** The due time of the next step. Owned by the {@link Renewer}, like the heap index. */
    long dueNanos;

    int heapIndex = -1;

    private final Engine engine;
    private final Grant grant;
    private final LocalQueue.Turn turn;
    private final LeaseDeadline firstDeadline;
    private final Duration minHold;

    /** When the reply to the grant came. The minimum hold counts from then, so that the store keeps the lock at least that long. */
    private final long repliedNanos;

    /** Null while the lease is held. */
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();

    private final HandOver departure;
    private final Extensions extensions;
    private final Renewal renewal;
    private final LossWatchers watchers = new LossWatchers();

    /** Null until the first extension. A volatile write would be a good part of the cost of an uncontended lease. */
    private volatile @Nullable LeaseDeadline movedDeadline;

    HeldLease(
            Engine engine,
            Grant grant,
            Moment asked,
            Moment replied,
            LeaseDeadline deadline,
            LockOptions options,
            LocalQueue.Turn turn) {
        this.engine = engine;
        this.grant = grant;
        this.turn = turn;
        this.departure = new HandOver(engine, grant, turn);
        this.minHold = options.minHold();
        this.repliedNanos = replied.nanos();
        this.firstDeadline = deadline;
        this.renewal = new Renewal(options.renewed(), options.retry(), engine::backoff);
        renewal.succeeded(asked.nanos(), options.ttl(), deadline.endNanos());
        this.extensions = new Extensions(engine, this, options, renewal);
    }

    /** The local deadline, by the ticker. */
    long endNanos() {
        return deadline().endNanos();
    }

    boolean hasFailedLastRenewal() {
        return renewal.lastFailure() != null;
    }

    long nextStepNanos() {
        long ahead = extensions.aheadNanos();
        return renewal.nextStep(endNanos() - ahead, ahead);
    }

    /** The thread that acquired the lease hands it to another. */
    void leavesThread() {
        turn.leavesThread();
    }

    @Override
    public Grant grant() {
        return grant;
    }

    @Override
    public boolean isHeld() {
        return remainingNanos() > 0;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    @Override
    public void ensureHeld() {
        if (!isHeld()) {
            throw notHeld();
        }
    }

    @Override
    public void ensureRemaining(Duration needed) {
        Objects.requireNonNull(needed, "needed");
        Duration remaining = remaining();
        if (remaining.isZero()) {
            throw notHeld();
        }
        if (remaining.compareTo(needed) < 0) {
            throw new IllegalStateException("lease of lock '" + key() + "' is certain for " + remaining.toMillis()
                    + " ms only, " + TimeUnit.MILLISECONDS.convert(needed) + " ms are needed");
        }
    }

    @Override
    public CompletionStage<LeaseLostException> lost() {
        CompletableFuture<LeaseLostException> signal = watchers.signal();
        if (end.get() instanceof End.Lost lost) {
            signal.complete(lossOf(lost)); // the loss may have come before the future was created
        }
        return signal.minimalCompletionStage();
    }

    private boolean hasEnded() {
        return end.get() != null;
    }

    LeaseDeadline deadline() {
        LeaseDeadline moved = movedDeadline;
        return moved == null ? firstDeadline : moved;
    }

    /** Returns the time left, zero after the end. Loses the lease if its deadline has passed. */
    private long remainingNanos() {
        if (hasEnded()) {
            return 0;
        }
        long left = deadline().remainingNanos(Moment.now(engine.time()));
        if (left <= 0) {
            lose(LossReason.DEADLINE_PASSED, renewal.lastFailure());
        }
        return Math.max(0, left);
    }

    private RuntimeException notHeld() {
        return end.get() instanceof End.Lost lost
                ? lossOf(lost)
                : new IllegalStateException("lease of lock '" + key() + "' was released");
    }

    LeaseLostException lossNow() {
        return lossOf((End.Lost) Objects.requireNonNull(end.get()));
    }

    private LeaseLostException lossOf(End.Lost lost) {
        return new LeaseLostException(stamp(), lost.reason(), lost.cause());
    }

    @Override
    public void extend(Duration newTtl) {
        LockOptions.requireTtl(newTtl);
        extensions.extend(newTtl);
        ensureHeld();
    }

    Extensions extensions() {
        return extensions;
    }

    /** Handles a renewal that could not start like one that failed: it is retried. */
    void renewalNotStarted(Throwable cause) {
        extensions.notStarted(cause);
    }

    /** Returns whether an extension may be sent. From then on the lease goes back to the store when it is released. */
    boolean beginExtension() {
        departure.extensionBegins();
        return !hasEnded();
    }

    /** Moves the deadline if the new one is later. The backend never shortens a lease, so the old deadline stays valid. */
    void extended(LeaseDeadline to, Moment asked) {
        movedDeadline = deadline().orLater(to, asked);
    }

    boolean missedItsDeadline() {
        return end.get() instanceof End.Lost lost && lost.reason() == LossReason.DEADLINE_PASSED;
    }

    /** Runs a due step: ends the lease at its deadline, or starts a renewal. */
    void step(Moment now) {
        if (hasEnded()) {
            return;
        }
        if (deadline().remainingNanos(now) <= 0) {
            lose(LossReason.DEADLINE_PASSED, renewal.lastFailure());
            return;
        }
        extensions.reportOverdue(now, deadline());
        boolean renewalDue = renewal.startIfDue(now.nanos(), extensions.aheadNanos());
        watchOn();
        if (renewalDue) {
            engine.renew(this);
        }
    }

    /** Schedules the next step, unless the lease has ended. It may also end meanwhile. */
    void watchOn() {
        if (!hasEnded()) {
            if (!engine.renewer().schedule(this)) {
                lose(LossReason.LOCKS_CLOSED, null);
            } else if (hasEnded()) {
                engine.renewer().cancel(this);
            }
        }
    }

    /** Ends a held lease without asking the backend. No-op on an ended one. */
    void lose(LossReason reason, @Nullable Throwable cause) {
        End.Lost lost = new End.Lost(reason, cause);
        if (!end.compareAndSet(null, lost)) {
            return;
        }
        engine.renewer().cancel(this);
        watchers.interruptBody();
        turn.leave();
        engine.callback(() -> {
            if (engine.telemetry().isOn()) {
                engine.telemetry().emit(new LockEvent.Lost(stamp(), reason));
            }
            watchers.complete(lossOf(lost));
        });
    }

    @Override
    public ReleaseOutcome release() {
        return leave(restOfMinHold());
    }

    @Override
    public ReleaseOutcome releaseAfter(Duration rest) {
        if (!Duration.ZERO.equals(rest)) {
            Checks.restMillis(rest);
        }
        return leave(rest);
    }

    private ReleaseOutcome leave(Duration rest) {
        boolean ended = end.compareAndSet(null, RELEASED);
        if (ended) {
            engine.renewer().cancel(this);
        }
        return departure.leave(ended, rest);
    }

    /** What is left of the minimum hold; zero if it is over or there is none. */
    private Duration restOfMinHold() {
        return minHold.isZero()
                ? Duration.ZERO
                : Duration.ofNanos(
                        Math.max(0, minHold.toNanos() - (engine.time().ticker().nanos() - repliedNanos)));
    }

    /** Takes back what an extension added to the rest with which the lease was released. No-op otherwise. */
    void undoExtension(Duration ttl) {
        departure.undoExtension(ttl);
    }

    @Override
    public void close() {
        if (end.get() instanceof End.Lost) {
            Undo.closeLost(engine, this::closeAndReport);
        } else {
            closeAndReport();
        }
    }

    private Optional<ReleaseOutcome> closeAndReport() {
        try {
            departure.ensureNoOutage(); // in which the caller has waited for the store already
            return Optional.of(release());
        } catch (Exception | Error e) { // for instance, the driver could start no thread
            departure.forgetOutage();
            engine.releaseFailed(
                    stamp(),
                    e instanceof RuntimeException thrown
                            ? thrown
                            : new BackendException(
                                    ErrorCode.INTERNAL, Effect.UNKNOWN, "the backend failed to release", e));
            Undo.retryRelease(engine, this, e);
        }
        return Optional.empty();
    }

    /**
     * Releases after the body, also if the lease was lost.
     *
     * @throws LeaseLostException if the body may have run beside another holder
     */
    void finish() {
        if (!isHeld() && end.get() instanceof End.Lost lost) {
            close();
            throw lossOf(lost);
        }
        if (closeAndReport().filter(this::tellsOfLoss).isPresent()) {
            throw new LeaseLostException(stamp(), LossReason.REFUSED_BY_BACKEND, null);
        }
    }

    /** Returns whether the store no longer had a lease that was held. After its end it may have ended before a slow release. */
    boolean tellsOfLoss(ReleaseOutcome outcome) {
        return outcome == ReleaseOutcome.ALREADY_ENDED && deadline().remainingNanos(Moment.now(engine.time())) > 0;
    }

    /** Interrupts the calling thread when the lease is lost, until {@link LossWatchers.Interruption#end}. */
    LossWatchers.Interruption interruptOnLoss() {
        LossWatchers.Interruption interruption = watchers.interruption();
        if (end.get() instanceof End.Lost) {
            watchers.interruptBody();
        }
        return interruption;
    }

    @Override
    public String toString() {
        return "Lease[key=" + key() + ", token=" + token() + (hasEnded() ? ", ended]" : ", held]");
    }
}
