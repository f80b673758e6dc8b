package io.fenceline.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The time since this machine was started, which processes of one machine agree on.
 *
 * <p>It goes on while the machine is suspended and does not jump when the wall clock is set. Where {@code
 * /proc/uptime} is missing (outside Linux) it falls back to the wall clock, and both properties are lost.
 */
public final class BootClock {
    private static final int MILLIS_PER_CENTI = 10;

    private final Path uptime;

    private BootClock(Path uptime) {
        this.uptime = uptime;
    }

    /** The clock of the machine that we run on. */
    public static BootClock ofThisMachine() {
        return new BootClock(Path.of("/proc/uptime"));
    }

    static BootClock reading(Path uptime) {
        return new BootClock(uptime);
    }

    /** The present moment, rounded down to a hundredth of a second. */
    public BootTime now() {
        try {
            String text = Files.readString(uptime);
            String seconds = text.substring(0, text.indexOf(' '));
            return new BootTime(Long.parseLong(seconds.replace(".", "")));
        } catch (IOException absent) {
            return new BootTime(System.currentTimeMillis() / MILLIS_PER_CENTI);
        }
    }

    /**
     * A moment of a {@link BootClock}.
     *
     * @param centis hundredths of a second since the machine was started
     */
    public record BootTime(long centis) implements Comparable<BootTime> {

        /** The moment that lies {@code duration} later, rounded down; a negative duration gives an earlier one. */
        public BootTime plus(Duration duration) {
            return new BootTime(Math.addExact(centis, Math.floorDiv(duration.toMillis(), MILLIS_PER_CENTI)));
        }

        @Override
        public int compareTo(BootTime other) {
            return Long.compare(centis, other.centis);
        }

        boolean isBefore(BootTime other) {
            return centis < other.centis;
        }

        long millisSince(BootTime earlier) {
            return (centis - earlier.centis) * MILLIS_PER_CENTI;
        }
    }
}
