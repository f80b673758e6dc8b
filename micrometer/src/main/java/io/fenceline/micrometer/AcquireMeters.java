package io.fenceline.micrometer;

import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.NoGrant;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Meters of acquisitions: duration by outcome, and the number of waiting threads. */
final class AcquireMeters implements LockListener {

    private static final String NAME = "fenceline.acquire";
    private static final String TEXT = "From the call to the lease, or to the end of the attempt";

    private final Timer acquired;
    private final Map<NoGrant, Timer> notAcquired = new EnumMap<>(NoGrant.class);
    private final AtomicInteger waiters = new AtomicInteger();

    AcquireMeters(Meters meters) {
        acquired = meters.timer(NAME, TEXT, "outcome", "acquired");
        for (NoGrant reason : NoGrant.values()) {
            notAcquired.put(reason, meters.timer(NAME, TEXT, "outcome", Meters.text(reason)));
        }
        meters.gauge("fenceline.acquire.waiters", "Threads of this process that wait for a lock", waiters::get);
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.AcquireBegun) {
            waiters.incrementAndGet();
        } else if (event instanceof LockEvent.Acquired grant) {
            waiters.decrementAndGet();
            acquired.record(grant.waited());
        } else if (event instanceof LockEvent.NotAcquired end) {
            waiters.decrementAndGet();
            timer(end.reason()).record(end.waited());
        }
    }

    @SuppressWarnings("NullAway") // the constructor creates one for each
    private Timer timer(NoGrant reason) {
        return notAcquired.get(reason);
    }
}
