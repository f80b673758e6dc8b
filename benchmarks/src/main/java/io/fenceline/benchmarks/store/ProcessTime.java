package io.fenceline.benchmarks.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processor time of a process of this machine and of its children, out of {@code /proc}. */
final class ProcessTime {

    /** USER_HZ, which is 100 on every Linux that a JVM runs on. */
    private static final long NANOS_OF_TICK = 10_000_000;

    private static final int PARENT = 1;
    private static final int USER = 11;
    private static final int CHILDREN_SYSTEM = 14;

    private ProcessTime() {}

    /** Returns the time of a process, of the children it has and of those that have ended; NaN if it cannot be seen. */
    static double nanosOfTree(long pid) {
        double ticks = ticks(pid);
        if (!Double.isNaN(ticks)) {
            for (ProcessHandle child : ProcessHandle.of(pid).stream()
                    .flatMap(ProcessHandle::descendants)
                    .toList()) {
                double own = ticks(child.pid());
                ticks += Double.isNaN(own) ? 0 : own; // ended meanwhile: its parent has counted it
            }
        }
        return ticks * NANOS_OF_TICK;
    }

    /** Returns the parent of a process. */
    static long parent(long pid) throws IOException {
        return Long.parseLong(fields(pid)[PARENT]);
    }

    private static double ticks(long pid) {
        try {
            String[] fields = fields(pid);
            long ticks = 0;
            for (int i = USER; i <= CHILDREN_SYSTEM; i++) {
                ticks += Long.parseLong(fields[i]);
            }
            return ticks;
        } catch (IOException gone) {
            return Double.NaN;
        }
    }

    /** The fields after the name, which may hold blanks. */
    private static String[] fields(long pid) throws IOException {
        String line = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return line.substring(line.lastIndexOf(')') + 2).split(" ");
    }
}
