package io.fenceline.internal;

import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.ReleaseSignals;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pauses of one waiter between attempts, ended early by the backend's release signals. Confined to the waiting thread, except
 * that signals arrive on others.
 */
final class Wakeups implements AutoCloseable {

    private final Engine engine;
    private final Thread waiter = Thread.currentThread();
    private final ReleaseSignals.@Nullable Subscription subscription;
    private @Nullable volatile Grant handedOver;
    private volatile boolean signalled;

    Wakeups(Engine engine, LockKey key, LockId lockId) {
        this.engine = engine;
        this.subscription = engine.backend()
                .ability(ReleaseSignals.class)
                .map(signals -> signals.subscribe(key, lockId, this::wake))
                .orElse(null);
    }

    /** Returns whether the backend sends signals, so that polling is only a safety net. */
    boolean expected() {
        return subscription != null;
    }

    /**
     * Waits until the ticker reaches a time, a signal comes, or the locks are closed.
     *
     * @return the grant, if the lock was handed over to this waiter
     */
    Optional<Grant> await(long untilNanos) throws InterruptedException {
        while (!signalled && !engine.isClosed()) {
            long left = untilNanos - engine.time().ticker().nanos();
            if (left <= 0) {
                return Optional.empty();
            }
            engine.time().delays().park(left);
        }
        signalled = false;
        return Optional.ofNullable(handedOver);
    }

    private void wake(ReleaseSignals.Signal signal) {
        if (signal instanceof ReleaseSignals.Signal.HandedOver handOver) {
            handedOver = handOver.grant();
        }
        signalled = true;
        engine.time().delays().wake(waiter);
    }

    @Override
    public void close() {
        if (subscription != null) {
            subscription.close();
        }
    }
}
