package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

/**
 * Rule for holders: one may believe that it has the lock for a ttl at most, from before it asked; and while all clocks are good,
 * only what is so on the server.
 */
final class BeliefRule implements Rule {

    private final ServerLocks locks;
    private final Deadlines deadlines;
    private final boolean safeClocks;

    BeliefRule(ServerLocks locks, Deadlines deadlines, boolean safeClocks) {
        this.locks = locks;
        this.deadlines = deadlines;
        this.safeClocks = safeClocks;
    }

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.Believes belief) {
            long beyond = deadlines.nanosBeyond(belief.lockId(), belief.ticker() + belief.remainingNanos());
            require(beyond <= 0, "L1", "a lease is believed held for " + beyond + " ns longer than its ttl");
            if (safeClocks) {
                boolean runs = locks.runs(belief, line.serverNanos());
                require(runs, "L1", "a lease is believed held that the server does not have");
            }
        }
    }
}
