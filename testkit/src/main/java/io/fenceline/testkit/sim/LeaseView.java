package io.fenceline.testkit.sim;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import java.time.Duration;

/** A lease whose answers and signals are written down. */
final class LeaseView {

    private final History history;
    private final Lease lease;
    private final String worker;
    private final Clock clock;
    private final int lockId;

    LeaseView(History history, Lease lease, Duration minHold, String worker, Clock clock) {
        this.history = history;
        this.lease = lease;
        this.worker = worker;
        this.clock = clock;
        this.lockId = history.numberOf(lease.grant().lockId());
        history.add(worker, new Event.Holds(key(), lockId, token()));
        if (!minHold.isZero()) {
            history.add(worker, new Event.HoldsAtLeast(lockId, clock.nanos(), minHold.toNanos()));
        }
        var unused = lease.lost().thenAccept(this::lost);
    }

    private void lost(LeaseLostException loss) {
        history.add(worker, new Event.Lost(lockId, token(), loss.reason(), clock.nanos()));
    }

    Lease lease() {
        return lease;
    }

    String key() {
        return lease.key().value();
    }

    long token() {
        return lease.token().value();
    }

    /** Asks whether the lease is held at this instant. */
    boolean believes() {
        boolean held = lease.isHeld();
        if (held) {
            long remaining = lease.remaining().toNanos();
            history.add(worker, new Event.Believes(key(), lockId, token(), clock.nanos(), remaining));
        }
        return held;
    }

    /** To be called when the lease is about to be released. */
    void letGo() {
        history.add(worker, new Event.LetsGo(key(), lockId, token(), clock.nanos()));
    }
}
