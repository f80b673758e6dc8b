package io.fenceline.micrometer;

import io.fenceline.RevocationReason;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Meters of elections: which groups this process leads, and in which term. Gauges of a group are removed when its last candidate
 * leaves.
 */
final class ElectionMeters implements LockListener {

    private final Meters meters;
    private final Map<String, Group> groups = new HashMap<>();

    ElectionMeters(Meters meters) {
        this.meters = meters;
    }

    /** A group with candidates in this process. */
    private final class Group {
        private final Set<Long> terms = new HashSet<>();
        private final List<Gauge> gauges;
        private int candidates;
        private volatile int leading;
        private volatile long term;

        Group(String name) {
            gauges = List.of(
                    meters.gauge(
                            "fenceline.election.leading",
                            "1 while this process leads the group, else 0",
                            () -> leading,
                            "group",
                            name),
                    meters.gauge(
                            "fenceline.election.term",
                            "The latest term that this process led the group in, 0 before the first",
                            () -> term,
                            "group",
                            name));
            elections(name);
            for (RevocationReason reason : RevocationReason.values()) {
                revocations(name, reason);
            }
        }

        void begins(long newTerm) {
            terms.add(newTerm);
            term = newTerm;
            leading = terms.size();
        }

        void ends(long oldTerm) {
            terms.remove(oldTerm);
            leading = terms.size();
        }
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.OfElection election) {
            change(election);
        }
    }

    private synchronized void change(LockEvent.OfElection event) {
        Group group = groups.computeIfAbsent(event.group(), Group::new);
        if (event instanceof LockEvent.Joined) {
            group.candidates++;
        } else if (event instanceof LockEvent.Elected elected) {
            group.begins(elected.stamp().token().value());
            elections(event.group()).increment();
        } else if (event instanceof LockEvent.Revoked revoked) {
            group.ends(revoked.stamp().token().value());
            revocations(event.group(), revoked.reason()).increment();
        } else if (--group.candidates <= 0) {
            groups.remove(event.group());
            group.gauges.forEach(meters::remove);
        }
    }

    private Counter elections(String group) {
        return meters.counter("fenceline.election.elections", "Terms that began in this process", "group", group);
    }

    private Counter revocations(String group, RevocationReason reason) {
        return meters.counter(
                "fenceline.election.revocations",
                "Terms that ended in this process",
                "group",
                group,
                "reason",
                Meters.text(reason));
    }
}
