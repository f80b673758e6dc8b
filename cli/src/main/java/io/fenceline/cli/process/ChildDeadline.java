package io.fenceline.cli.process;

import io.fenceline.cli.process.BootClock.BootTime;
import java.time.Duration;

/**
 * The times at which a child's process group gets SIGTERM and SIGKILL.
 *
 * <p>Both are points in time, not durations, so that a pause of this JVM cannot make them later. Read the clock <em>before</em>
 * the remaining time of the lease.
 */
public record ChildDeadline(BootTime termAt, BootTime killAt) {
    private static final ChildDeadline NEVER =
            new ChildDeadline(new BootTime(Long.MAX_VALUE), new BootTime(Long.MAX_VALUE));

    public ChildDeadline {
        if (killAt.isBefore(termAt)) {
            throw new IllegalArgumentException("killAt " + killAt + " is before termAt " + termAt);
        }
    }

    /** No deadline. */
    public static ChildDeadline never() {
        return NEVER;
    }

    /** A deadline {@code termIn} and {@code killIn} after {@code start}. */
    public static ChildDeadline after(BootTime start, Duration termIn, Duration killIn) {
        return new ChildDeadline(start.plus(termIn), start.plus(killIn));
    }

    boolean isEarlierThan(ChildDeadline other) {
        return termAt.isBefore(other.termAt) || killAt.isBefore(other.killAt);
    }

    /** Not by equals(): the first call of a record's costs about ten milliseconds in a new JVM. */
    boolean isNever() {
        return termAt.centis() == NEVER.termAt.centis();
    }

    /** The text that the watchdog reads. */
    String line() {
        return isNever() ? "never never\n" : termAt.centis() + " " + killAt.centis() + "\n";
    }
}
