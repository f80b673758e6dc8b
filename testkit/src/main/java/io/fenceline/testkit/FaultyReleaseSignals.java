package io.fenceline.testkit;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.ReleaseSignals;
import java.util.function.Consumer;

/** Signals of which some are lost, as the interface allows. Delays are ignored: a signal that waits would block its sender. */
final class FaultyReleaseSignals implements ReleaseSignals {

    private final ReleaseSignals delegate;
    private final FaultPlan plan;

    FaultyReleaseSignals(ReleaseSignals delegate, FaultPlan plan) {
        this.delegate = delegate;
        this.plan = plan;
    }

    @Override
    public Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener) {
        return delegate.subscribe(key, waiter, signal -> {
            if (plan.next(BackendOperation.SIGNAL).loss() == Fault.Loss.NOTHING) {
                listener.accept(signal);
            }
        });
    }
}
