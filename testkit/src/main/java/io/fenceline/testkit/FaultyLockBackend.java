package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.Succession;
import io.fenceline.time.Delays;
import io.fenceline.time.Ticker;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A backend behind a network that delays and loses what a {@link FaultPlan} says. The backend itself stays sound: what
 * happened in it happened, whatever the caller is told.
 *
 * <p>Its abilities are passed on; of those {@link ReleaseSignals} and {@link Succession} suffer faults.
 */
public final class FaultyLockBackend implements LockBackend {

    private final LockBackend delegate;
    private final FaultPlan plan;
    private final TimeSource time;

    private FaultyLockBackend(LockBackend delegate, FaultPlan plan, TimeSource time) {
        this.delegate = delegate;
        this.plan = plan;
        this.time = time;
    }

    /**
     * Puts a faulty network with real delays in front of a backend.
     *
     * @param delegate a sound backend, closed with this one
     * @param plan what goes wrong
     * @return the decorated backend
     */
    public static FaultyLockBackend over(LockBackend delegate, FaultPlan plan) {
        return over(delegate, plan, TimeSource.system());
    }

    /**
     * Puts a faulty network in front of a backend.
     *
     * @param delegate a sound backend, closed with this one
     * @param plan what goes wrong
     * @param time what delays are measured and waited by
     * @return the decorated backend
     */
    public static FaultyLockBackend over(LockBackend delegate, FaultPlan plan, TimeSource time) {
        return new FaultyLockBackend(delegate, plan, time);
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return suffer(BackendOperation.ACQUIRE, request.timeout(), () -> delegate.acquire(request));
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        LockOptions.requireTtl(ttl);
        return suffer(BackendOperation.EXTEND, () -> delegate.extend(key, lockId, ttl));
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return suffer(BackendOperation.RELEASE, () -> delegate.release(key, lockId));
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        Checks.restMillis(rest);
        return suffer(BackendOperation.RELEASE_AFTER, () -> delegate.releaseAfter(key, lockId, rest));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return suffer(BackendOperation.LOOKUP, () -> delegate.lookup(key));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return suffer(BackendOperation.LOOKUP, () -> delegate.lookup(lockId));
    }

    @Override
    public boolean isLocked(LockKey key) {
        return suffer(BackendOperation.LOOKUP, () -> delegate.isLocked(key));
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        Optional<T> ability = delegate.ability(type);
        if (type == Succession.class) {
            return ability.map(succession -> type.cast(suffering((Succession) succession)));
        }
        if (type == BulkExtension.class) {
            return ability.map(bulk -> type.cast(suffering((BulkExtension) bulk)));
        }
        if (type == ReleaseSignals.class) {
            return ability.map(signals -> type.cast(new FaultyReleaseSignals((ReleaseSignals) signals, plan)));
        }
        return ability;
    }

    private BulkExtension suffering(BulkExtension sound) {
        return extensions -> suffer(BackendOperation.EXTEND, () -> sound.extendAll(extensions));
    }

    private Succession suffering(Succession sound) {
        return (last, next, yielding) -> suffer(BackendOperation.SUCCEED, () -> sound.succeed(last, next, yielding));
    }

    @Override
    public void close() {
        delegate.close();
    }

    private <T> T suffer(BackendOperation operation, Supplier<T> action) {
        return suffer(operation, LockOptions.MAX_TTL, action);
    }

    private <T> T suffer(BackendOperation operation, Duration timeout, Supplier<T> action) {
        Fault fault = plan.next(operation);
        long limit = time.ticker().nanos() + timeout.toNanos();
        travel(operation, fault.delayBefore(), limit, Effect.NONE);
        if (fault.loss() == Fault.Loss.REQUEST) {
            travel(operation, fault.delayAfter(), limit, fault.effect());
            throw fault.failure(operation);
        }
        T reply = action.get();
        travel(operation, fault.delayAfter(), limit, Effect.UNKNOWN);
        if (fault.loss() == Fault.Loss.REPLY) {
            throw fault.failure(operation);
        }
        return reply;
    }

    /**
     * Waits as a driver does: an interrupt ends the wait, and its status is kept for the caller. A request that is still on its way
     * when its caller stops waiting is lost.
     */
    private void travel(BackendOperation operation, Duration delay, long limit, Effect effectIfInterrupted) {
        Ticker ticker = time.ticker();
        Delays delays = time.delays();
        long arrival = ticker.nanos() + delay.toNanos();
        long end = arrival - limit < 0 ? arrival : limit;
        try {
            for (long left = end - ticker.nanos(); left > 0; left = end - ticker.nanos()) {
                delays.park(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendException(
                    ErrorCode.ABORTED, effectIfInterrupted, "interrupted while " + operation + " was under way", e);
        }
        if (arrival - limit > 0) {
            throw new BackendException(
                    ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "injected fault: no reply to " + operation, null);
        }
    }
}
