package io.fenceline.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.FencingToken;
import io.fenceline.telemetry.LockEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the nodes were told, in the order in which it happened. */
final class LeaderLog {

    private final List<LeaderNode> leaders = new ArrayList<>();
    private final List<FencingToken> terms = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();

    private int losses;

    synchronized void heard(LockEvent event) {
        if (event instanceof LockEvent.Lost) {
            losses++;
        }
    }

    synchronized void granted(LeaderNode node, FencingToken term) {
        if (leaders.stream().anyMatch(LeaderNode::isLeader)) {
            faults.add("granted term " + term + " beside " + terms);
        }
        if (!terms.isEmpty() && term.compareTo(terms.get(terms.size() - 1)) <= 0) {
            faults.add("term " + term + " after " + terms);
        }
        leaders.add(node);
        terms.add(term);
    }

    /** An initiator that is stopped unlocks before it revokes, and leads no more from before its unlock on. */
    synchronized void revoked(LeaderNode node) {
        if (!leaders.remove(node)) {
            faults.add("revoked without a grant, after " + terms);
        }
    }

    synchronized Optional<LeaderNode> leader() {
        return leaders.stream().filter(LeaderNode::isLeader).findFirst();
    }

    /** Leases are lost when the store is away, and on a machine that is very slow. */
    void assertNoChangeWithoutLoss() {
        await().untilAsserted(() -> {
            synchronized (this) {
                assertThat(terms).hasSizeLessThanOrEqualTo(1 + losses);
            }
        });
    }

    synchronized void assertNoTwoLedAtATime() {
        assertThat(faults).isEmpty();
        assertThat(leaders).isEmpty();
        assertThat(terms).hasSizeGreaterThanOrEqualTo(3);
    }
}
