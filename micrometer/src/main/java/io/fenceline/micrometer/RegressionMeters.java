package io.fenceline.micrometer;

import io.fenceline.FenceStamp;
import io.fenceline.ReleaseOutcome;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.micrometer.core.instrument.Counter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts token regressions: a stale refusal of a lease that the store confirms afterwards, by an extension or a release. The resource has
 * then seen a greater token than the store's latest, so the store has lost grants.
 *
 * <p>A refusal alone does not show that. The lease may have been ended by force, which its holder learns at the next renewal.
 */
final class RegressionMeters implements LockListener {

    private final Counter regressions;

    /** Leases that this process holds, and whether they were refused since the store last confirmed them. */
    private final Map<FenceStamp, Boolean> refused = new ConcurrentHashMap<>();

    RegressionMeters(Meters meters) {
        regressions =
                meters.counter("fenceline.token.regressions", "Refusals that show that the store has lost tokens");
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.Acquired grant) {
            refused.put(grant.stamp(), false);
        } else if (event instanceof LockEvent.StaleRefused refusal) {
            refused.replace(refusal.presented(), true);
        } else if (event instanceof LockEvent.TokenRegressed regression) {
            refused.replace(regression.presented(), false);
            regressions.increment();
        } else if (event instanceof LockEvent.Extended extension) {
            if (refused.replace(extension.stamp(), true, false)) {
                regressions.increment();
            }
        } else if (event instanceof LockEvent.Released release) {
            boolean confirmed = release.outcome() == ReleaseOutcome.RELEASED && !release.passedOn();
            if (Boolean.TRUE.equals(refused.remove(release.stamp())) && confirmed) {
                regressions.increment();
            }
        } else if (event instanceof LockEvent.Lost || event instanceof LockEvent.ReleaseFailed) {
            refused.remove(((LockEvent.OfLease) event).stamp());
        }
    }
}
