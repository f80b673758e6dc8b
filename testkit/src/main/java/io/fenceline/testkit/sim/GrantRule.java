package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

/** Rule for the server: one lease at a time, growing tokens, and nothing for those who do not hold the lock. */
final class GrantRule implements Rule {

    /** A backend may count in whole milliseconds and round up, so a lease that has just ended may still run there. */
    private static final long ROUNDING_NANOS = 1_000_000;

    private final ServerLocks locks;

    GrantRule(ServerLocks locks) {
        this.locks = locks;
    }

    @Override
    public void see(HistoryEntry line) {
        long now = line.serverNanos();
        if (line.event() instanceof Event.Granted granted) {
            granted(granted, now);
        } else if (line.event() instanceof Event.Contended contended) {
            require(!locks.runs(contended, now), "G7", "a repeated request was refused");
            require(
                    contended.yielding() || locks.isTaken(contended.key(), now - ROUNDING_NANOS),
                    "progress",
                    "a free lock was refused");
        } else if (line.event() instanceof Event.Extended extended) {
            answered(extended, extended.done(), now, "extended");
            if (extended.done()) {
                locks.extended(extended, now);
                long earlier = locks.endNanos(extended.key()) - now - extended.leftNanos();
                require(earlier <= ROUNDING_NANOS, "G6", "an extension left a lease " + earlier + " ns too short");
            }
        } else if (line.event() instanceof Event.Kept kept) {
            answered(kept, kept.done(), now, "kept");
            if (kept.done()) {
                locks.kept(kept, now);
            }
        } else if (line.event() instanceof Event.Ended ended) {
            answered(ended, ended.done(), now, "released");
            if (ended.done()) {
                locks.ended(ended);
            }
        }
    }

    private void granted(Event.Granted granted, long now) {
        long highest = locks.highestToken(granted.key());
        if (locks.runs(granted, now - ROUNDING_NANOS) && granted.lastToken() == highest) {
            return; // the same grant again
        }
        require(!locks.runs(granted, now), "G7", "a repeated request got another token");
        require(!locks.isTaken(granted.key(), now), "G1", "granted while another lease runs");
        require(granted.token() > highest, "G2", "token " + granted.token() + " after " + highest);
        locks.granted(granted, now);
    }

    /** What only a holder can do is done for a holder, and for nobody else. */
    private void answered(Event.OnServer event, boolean done, long now, String what) {
        require(!done || locks.runs(event, now - ROUNDING_NANOS), "G6", "a lease that does not run was " + what);
        require(done || !locks.runs(event, now), "G6", "a running lease was not " + what);
    }
}
