package io.fenceline.micrometer;

import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Meters of guards: requests by verdict. */
final class GuardMeters implements LockListener {

    private static final double[] GAPS = {1, 2, 5, 10, 100};

    private final Meters meters;
    private final Counter accepted;
    private final Counter stale;
    private final Counter foreign;
    private final Counter failed;
    private final DistributionSummary gap;
    private final Timer write;

    /** Open checks of this thread, innermost first. */
    private final ThreadLocal<Deque<OpenCheck>> open = ThreadLocal.withInitial(ArrayDeque::new);

    private static final class OpenCheck {
        private final long sinceNanos;
        private boolean refused;

        OpenCheck(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    GuardMeters(Meters meters) {
        this.meters = meters;
        accepted = checks("accepted");
        stale = checks("stale");
        foreign = checks("foreign");
        failed = checks("failed");
        gap = meters.summary("fenceline.guard.stale.gap", "tokens", "How far refused writers were behind", GAPS);
        write = meters.timer("fenceline.guard.write", "Guarded writes that were accepted, from the call to their end");
    }

    private Counter checks(String verdict) {
        return meters.counter("fenceline.guard.checks", "Writes and claims by the guard's verdict", "verdict", verdict);
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.GuardAsked) {
            open.get().push(new OpenCheck(meters.nanos()));
        } else if (event instanceof LockEvent.StaleRefused refusal) {
            stale.increment();
            gap.record((double) refusal.gap());
            refused();
        } else if (event instanceof LockEvent.ForeignRefused) {
            foreign.increment();
            refused();
        } else if (event instanceof LockEvent.GuardAnswered answer) {
            answered(answer);
        }
    }

    /** A refusal by a trigger has no open check. */
    private void refused() {
        OpenCheck check = open.get().peek();
        if (check == null) {
            open.remove();
        } else {
            check.refused = true;
        }
    }

    private void answered(LockEvent.GuardAnswered answer) {
        Deque<OpenCheck> checks = open.get();
        OpenCheck check = checks.pop();
        if (checks.isEmpty()) {
            open.remove();
        }
        if (answer.accepted()) {
            accepted.increment();
            if (answer.act() == GuardAct.WRITE) {
                write.record(Duration.ofNanos(meters.nanos() - check.sinceNanos));
            }
        } else if (!check.refused) {
            failed.increment();
        }
    }
}
