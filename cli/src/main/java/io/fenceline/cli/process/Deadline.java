package io.fenceline.cli.process;

import io.fenceline.cli.process.BootClock.BootTime;
import java.time.Duration;

/**
 * The moments by which a child has to be gone: at {@code termAt} it is asked (SIGTERM), at {@code killAt} it is killed.
 *
 * <p>Both are moments, not durations, so that a pause of this JVM between the measuring and the telling cannot
 * make them later. Read the clock <em>before</em> asking how long a lease still runs.
 *
 * @param termAt when the child's group gets SIGTERM
 * @param killAt when it gets SIGKILL; not before {@code termAt}
 */
public record Deadline(BootTime termAt, BootTime killAt) {
    private static final Deadline NEVER = new Deadline(new BootTime(Long.MAX_VALUE), new BootTime(Long.MAX_VALUE));

    public Deadline {
        if (killAt.isBefore(termAt)) {
            throw new IllegalArgumentException("killAt " + killAt + " is before termAt " + termAt);
        }
    }

    /** No deadline. */
    public static Deadline never() {
        return NEVER;
    }

    /** The deadline that lies {@code termIn} and {@code killIn} after {@code start}. */
    public static Deadline after(BootTime start, Duration termIn, Duration killIn) {
        return new Deadline(start.plus(termIn), start.plus(killIn));
    }

    boolean isEarlierThan(Deadline other) {
        return termAt.isBefore(other.termAt) || killAt.isBefore(other.killAt);
    }

    /** By hand: the first equals of a record costs a JVM that has just started about ten milliseconds. */
    boolean isNever() {
        return termAt.centis() == NEVER.termAt.centis();
    }

    /** The line that the watchdog reads. */
    String line() {
        return isNever() ? "never never\n" : termAt.centis() + " " + killAt.centis() + "\n";
    }
}
