package io.fenceline.cli.process;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The private folder through which this JVM and one watchdog talk; {@code watchdog.sh} says what is in it.
 *
 * <p>The watchdog removes the folder when it has killed the child, so every file of it may be gone at any time.
 */
final class WatchFolder {
    private final Path folder;

    private WatchFolder(Path folder) {
        this.folder = folder;
    }

    /** Makes the folder, readable by its owner only, with the watchdog's script and its first deadline. */
    static WatchFolder create(Deadline first) throws IOException {
        WatchFolder made = new WatchFolder(Files.createTempDirectory("fenceline-exec-"));
        try (InputStream script = WatchFolder.class.getResourceAsStream("watchdog.sh")) {
            Files.write(made.script(), script.readAllBytes());
        }
        made.write(first);
        return made;
    }

    Path path() {
        return folder;
    }

    Path script() {
        return folder.resolve("watchdog.sh");
    }

    boolean exists() {
        return Files.exists(folder);
    }

    /** Replaces the deadline in one step; does nothing when the watchdog has done its work. */
    void write(Deadline deadline) throws IOException {
        try {
            Path next = Files.writeString(folder.resolve("deadline.next"), deadline.line());
            Files.move(next, folder.resolve("deadline"), ATOMIC_MOVE);
        } catch (NoSuchFileException done) {
            // The child was killed while this JVM was stopped: there is nothing left to put off.
        }
    }

    /**
     * Finds the watchdog.
     *
     * <p>Its number alone would not do: it may have been killed and the number be another process's by now. The
     * folder's name, which no other command line contains, tells; and {@link ProcessHandle} compares start times
     * when it signals.
     */
    Optional<ProcessHandle> watchdog() {
        try {
            long pid =
                    Long.parseLong(Files.readString(folder.resolve("watchdog")).strip());
            return ProcessHandle.of(pid).filter(this::isWatchdog);
        } catch (IOException | NumberFormatException notThere) {
            return Optional.empty();
        }
    }

    private boolean isWatchdog(ProcessHandle handle) {
        return handle.info()
                .commandLine()
                .filter(line -> line.contains(folder.toString()))
                .isPresent();
    }

    /** Removes the folder, the deadline first: without it the watchdog kills nobody. */
    void delete() {
        for (String name : new String[] {"deadline", "deadline.next", "watchdog", "watchdog.sh", ""}) {
            try {
                Files.deleteIfExists(folder.resolve(name));
            } catch (IOException left) {
                System.getLogger(WatchFolder.class.getName())
                        .log(System.Logger.Level.DEBUG, () -> "left behind: " + folder.resolve(name), left);
            }
        }
    }
}
