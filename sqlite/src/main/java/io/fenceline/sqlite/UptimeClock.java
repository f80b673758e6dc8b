package io.fenceline.sqlite;

import io.fenceline.time.WallClock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Linux's time since boot ({@code CLOCK_BOOTTIME}), the same for all processes of a kernel.
 *
 * <p>It is read from a file, since Java's own monotonic clock stands still while the machine is suspended.
 */
final class UptimeClock implements MachineClock {

    /** The kernel prints hundredths of a second and cuts off the rest. */
    private static final int TICK_MILLIS = 10;

    private static final Path UPTIME = Path.of("/proc/uptime");
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Path TIME_NAMESPACE = Path.of("/proc/self/timens_offsets");

    private final ReentrantLock lock = new ReentrantLock();
    private final String bootId;

    /** Not a FileChannel: an interrupt of a reading thread would close that. Held open until collected as garbage. */
    private final RandomAccessFile uptime;

    private final byte[] line = new byte[64];

    UptimeClock() {
        try {
            bootId = Files.readString(BOOT_ID).strip();
            uptime = new RandomAccessFile(UPTIME.toFile(), "r");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the machine's time since boot", e);
        }
    }

    /**
     * Returns whether this process sees the kernel's own time since boot. A container may be shown another (a time namespace, or
     * a file mounted in its place), which must not be compared with that of processes outside under the same boot id.
     */
    static boolean isUsable() {
        if (!Files.isReadable(UPTIME) || !Files.isReadable(BOOT_ID)) {
            return false;
        }
        try {
            return Files.readAllLines(MOUNTS).stream().noneMatch(mount -> mount.contains(" " + UPTIME + " "))
                    && (!Files.exists(TIME_NAMESPACE) || isWithoutOffset(Files.readAllLines(TIME_NAMESPACE)));
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isWithoutOffset(List<String> offsets) {
        return offsets.stream()
                .map(offset -> offset.strip().split("\\s+"))
                .allMatch(offset -> !offset[0].equals("boottime") || (offset[1].equals("0") && offset[2].equals("0")));
    }

    @Override
    public MachineTime read() {
        lock.lock();
        try {
            uptime.seek(0);
            int length = uptime.read(line);
            return new MachineTime(
                    bootId, parse(line, length), WallClock.system().millis(), TICK_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + UPTIME, e);
        } finally {
            lock.unlock();
        }
    }

    /** Reads the first number of a line such as {@code 1189.91 1917.19}. */
    static long parse(byte[] line, int length) {
        long hundredths = 0;
        for (int i = 0; i < length && line[i] != ' '; i++) {
            if (line[i] != '.') {
                hundredths = hundredths * 10 + (line[i] - '0');
            }
        }
        return hundredths * TICK_MILLIS;
    }
}
