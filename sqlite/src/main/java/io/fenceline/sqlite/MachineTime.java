package io.fenceline.sqlite;

import io.fenceline.time.WallClock;

/**
 * One reading of a machine's clocks, and the rules by which a lease ends.
 *
 * <p>Within one boot of the machine the time since that boot decides alone, so that setting the wall clock neither ends a lease nor
 * prolongs it. A lease from before the last boot runs until its end by the wall clock, but no longer than its ttl after the boot: by then
 * it has ended whatever the wall clock was set to. If the time since boot is not known, the wall clock decides.
 *
 * @param bootId names the boot that {@code uptimeMillis} counts from; empty if that time is not known
 * @param uptimeMillis time since the machine was started, rounded down to a whole tick
 * @param wallMillis time since 1970
 * @param tickMillis how much the reading may be behind; 0 for a clock that tests move by hand
 */
record MachineTime(String bootId, long uptimeMillis, long wallMillis, long tickMillis) {

    /** Returns a reading of the wall clock alone. */
    static MachineTime ofWallClock() {
        return new MachineTime("", 0, WallClock.system().millis(), 1);
    }

    /**
     * Returns the end of a lease that starts now. It adds a tick: the true time may already be so much ahead of this reading,
     * and the lease would end that much early.
     */
    LeaseEnd after(long ttlMillis) {
        return new LeaseEnd(bootId, uptimeMillis + ttlMillis + tickMillis, wallMillis + ttlMillis, ttlMillis);
    }

    /** Returns how long a lease still runs, 0 if it has ended. */
    long remainingMillis(LeaseEnd end) {
        return Math.max(0, Math.min(untilMillis(end), end.ttlMillis()));
    }

    /** Returns whether a lease runs for at least as long as one that starts now. */
    boolean outlasts(LeaseEnd end, long ttlMillis) {
        return untilMillis(end) >= ttlMillis + tickMillis && remainingMillis(end) >= ttlMillis;
    }

    private long untilMillis(LeaseEnd end) {
        if (bootId.isEmpty() || end.bootId().isEmpty()) {
            return byWallClock(end);
        }
        return bootId.equals(end.bootId())
                ? end.uptimeMillis() - uptimeMillis
                : Math.min(byWallClock(end), end.ttlMillis() - uptimeMillis);
    }

    private long byWallClock(LeaseEnd end) {
        return end.wallMillis() + tickMillis - wallMillis;
    }
}
