package io.fenceline.testkit.sim;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;

/** The running state of a server. When it stops, every connection breaks, and nobody knows what became of what was under way. */
final class ServerUptime {

    private final Scheduler scheduler;
    private long downUntilNanos;
    private int outages;

    ServerUptime(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    void beginOutage(long nanos) {
        downUntilNanos = Math.max(downUntilNanos, scheduler.nowNanos() + nanos);
        outages++;
    }

    /** How often it stopped; a connection lives as long as this stays the same. */
    int outages() {
        return outages;
    }

    void ensureUp() {
        if (downUntilNanos > scheduler.nowNanos()) {
            throw new BackendException(
                    ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "simulated: connection refused", null);
        }
    }
}
