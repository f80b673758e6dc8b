package io.fenceline.micrometer;

import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.LossReason;
import io.fenceline.ReleaseOutcome;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Meters of leases: number held, lateness of renewals, and ends. */
final class LeaseMeters implements LockListener {

    /** A renewal is due at a third of the ttl, so one that is late by two thirds comes too late. */
    private static final double[] SHARES = {0.01, 0.05, 0.1, 0.2, 0.33, 0.5};

    private final Meters meters;

    /** Held leases. A set and not a count, since a lease can end twice: lost, then closed. */
    private final Set<FenceStamp> held = ConcurrentHashMap.newKeySet();

    private final DistributionSummary lateness;
    private final Counter tokenWarnings;

    LeaseMeters(Meters meters) {
        this.meters = meters;
        meters.gauge("fenceline.leases.held", "Leases that this process holds", held::size);
        for (LossReason reason : LossReason.values()) {
            lost(reason);
        }
        releases(Meters.text(ReleaseOutcome.RELEASED));
        releases(Meters.text(ReleaseOutcome.ALREADY_ENDED));
        releases("failed");
        for (ErrorCode code : ErrorCode.values()) {
            failures(code);
        }
        lateness = meters.summary(
                "fenceline.renewal.lateness",
                "ratio",
                "How late renewals were done, failed tries included, as a share of the ttl",
                SHARES);
        tokenWarnings = meters.counter("fenceline.token.warnings", "Grants whose token is near the limit");
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.Acquired grant) {
            held.add(grant.stamp());
        } else if (event instanceof LockEvent.Renewed renewed) {
            lateness.record((double) renewed.late().toNanos() / renewed.ttl().toNanos());
        } else if (event instanceof LockEvent.RenewalFailed failed) {
            failures(failed.error().code()).increment();
        } else if (event instanceof LockEvent.Lost loss) {
            held.remove(loss.stamp());
            lost(loss.reason()).increment();
        } else if (event instanceof LockEvent.Released release) {
            held.remove(release.stamp());
            releases(Meters.text(release.outcome())).increment();
        } else if (event instanceof LockEvent.ReleaseFailed failed) {
            held.remove(failed.stamp());
            releases("failed").increment();
        } else if (event instanceof LockEvent.TokenNearLimit) {
            tokenWarnings.increment();
        }
    }

    private Counter lost(LossReason reason) {
        return meters.counter(
                "fenceline.leases.lost", "Leases that ended while they were held", "reason", Meters.text(reason));
    }

    private Counter releases(String outcome) {
        return meters.counter("fenceline.leases.released", "Releases by what they found", "outcome", outcome);
    }

    private Counter failures(ErrorCode code) {
        return meters.counter(
                "fenceline.renewals.failed", "Renewals that failed and are tried again", "code", Meters.text(code));
    }
}
