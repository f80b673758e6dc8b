package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

import java.util.HashMap;
import java.util.Map;

/** Leases under one lock id are held one after the other, each with a greater token. */
final class CohortRule implements Rule {

    /** The token of the last lease under a lock id. */
    private final Map<Integer, Long> tokens = new HashMap<>();

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.Holds holds) {
            long before = tokens.getOrDefault(holds.lockId(), 0L);
            require(holds.token() > before, "G2", "token " + holds.token() + " was passed on after " + before);
            tokens.put(holds.lockId(), holds.token());
        } else if (line.event() instanceof Event.Believes belief) {
            long last = tokens.getOrDefault(belief.lockId(), 0L);
            require(belief.token() == last, "G1", "a lease is believed held after it was passed on");
        }
    }
}
