package io.fenceline.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Monotonic clock that all processes of one machine share: the time since the machine was started.
 *
 * <p>It advances while the machine is suspended and does not jump when the wall clock is set. Where {@code /proc/uptime} is
 * missing (outside Linux) the wall clock replaces it, and both properties are lost.
 */
public final class BootClock {
    private static final int MILLIS_PER_CENTI = 10;

    private final Path uptime;

    private BootClock(Path uptime) {
        this.uptime = uptime;
    }

    /** The clock of this machine. */
    public static BootClock ofThisMachine() {
        return new BootClock(Path.of("/proc/uptime"));
    }

    static BootClock reading(Path uptime) {
        return new BootClock(uptime);
    }

    /** The present time, rounded down to a hundredth of a second. */
    public BootTime now() {
        try {
            String text = Files.readString(uptime);
            String seconds = text.substring(0, text.indexOf(' '));
            return new BootTime(Long.parseLong(seconds.replace(".", "")));
        } catch (IOException absent) {
            return new BootTime(System.currentTimeMillis() / MILLIS_PER_CENTI);
        }
    }

    /** A time of a {@link BootClock}, in hundredths of a second since the machine was started. */
    public record BootTime(long centis) implements Comparable<BootTime> {

        /** The time {@code duration} later, rounded down; a negative duration gives an earlier one. */
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
