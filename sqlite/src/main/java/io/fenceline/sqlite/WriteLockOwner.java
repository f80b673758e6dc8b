package io.fenceline.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The process that holds a file's write lock, as Linux tells it. A process that was stopped while it wrote keeps all others
 * from writing until it is continued or ends, and no one but an operator may decide which.
 *
 * @param pid the process
 * @param name its program
 * @param stopped whether it was stopped by a signal or a debugger
 */
record WriteLockOwner(long pid, String name, boolean stopped) {

    private static final Path LOCKS = Path.of("/proc/locks");

    /** The byte of the {@code -shm} file that a writer locks (WAL_WRITE_LOCK in SQLite's walformat.html). */
    private static final int WRITE_LOCK_BYTE = 120;

    /**
     * Finds the process.
     *
     * @param file the database
     * @return the process, or empty if no one holds the lock any more or the system does not tell
     */
    static Optional<WriteLockOwner> of(Path file) {
        try (Stream<String> locks = Files.lines(LOCKS)) {
            String inode = Files.getAttribute(StoreFiles.sharedMemoryOf(file.toRealPath()), "unix:ino")
                    .toString();
            Optional<String> pid = locks.map(line -> line.strip().split("\\s+"))
                    .filter(lock -> isWriteLock(lock, inode))
                    .map(lock -> lock[4])
                    .findFirst();
            return pid.isEmpty() ? Optional.empty() : Optional.of(ofProcess(Long.parseLong(pid.get())));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Reads a line such as {@code 5: POSIX ADVISORY WRITE 4711 fe:00:393219 120 120}. */
    static boolean isWriteLock(String[] lock, String inode) {
        return lock.length == 8
                && lock[1].equals("POSIX")
                && lock[3].equals("WRITE")
                && lock[5].endsWith(":" + inode)
                && Long.parseLong(lock[6]) <= WRITE_LOCK_BYTE
                && (lock[7].equals("EOF") || Long.parseLong(lock[7]) >= WRITE_LOCK_BYTE);
    }

    private static WriteLockOwner ofProcess(long pid) throws IOException {
        // "4711 (a name (with brackets)) T ..."
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        int nameEnd = stat.lastIndexOf(')');
        char state = stat.charAt(nameEnd + 2);
        return new WriteLockOwner(pid, stat.substring(stat.indexOf('(') + 1, nameEnd), state == 'T' || state == 't');
    }

    /** Says what keeps others waiting and what to do about it. */
    @Override
    public String toString() {
        return stopped
                ? "process " + pid + " (" + name + ") was stopped while it wrote and keeps all others from writing; "
                        + "continue it (kill -CONT " + pid + ") or end it (kill -KILL " + pid + "), either is safe"
                : "process " + pid + " (" + name + ") keeps it locked; see what that process does";
    }
}
