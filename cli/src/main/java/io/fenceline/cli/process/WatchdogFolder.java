package io.fenceline.cli.process;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The private folder through which this JVM and one watchdog communicate; {@code watchdog.sh} lists its files.
 *
 * <p>The watchdog removes the folder when it has killed the child, so its files may disappear at any time.
 */
final class WatchdogFolder {
    private final Path folder;

    private WatchdogFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Creates the folder, readable by its owner only, with the watchdog's script and first deadline. Its name is in the watchdog's command
     * line, where {@code pkill -f fenceline} must not find that word.
     */
    static WatchdogFolder create(ChildDeadline first) throws IOException {
        WatchdogFolder made = new WatchdogFolder(Files.createTempDirectory("fl-exec-"));
        try (InputStream script = WatchdogFolder.class.getResourceAsStream("watchdog.sh")) {
            Files.write(made.script(), script.readAllBytes());
            made.write(first);
            return made;
        } catch (IOException e) { // as on a full disk
            made.delete();
            throw e;
        }
    }

    Path path() {
        return folder;
    }

    Path script() {
        return folder.resolve("watchdog.sh");
    }

    /**
     * Returns whether a watchdog was started and has not removed its folder. Until there is one the command does not run, so that
     * nobody else is in its group.
     */
    boolean hasWatchdog() {
        return Files.exists(folder.resolve("watchdog"));
    }

    /** Replaces the deadline atomically; no-op if the folder is gone. */
    void write(ChildDeadline deadline) throws IOException {
        try {
            Path next = Files.writeString(folder.resolve("deadline.next"), deadline.line());
            Files.move(next, folder.resolve("deadline"), ATOMIC_MOVE);
        } catch (NoSuchFileException gone) {
            // The watchdog killed the child while this JVM was stopped, or somebody cleaned the temporary folder.
        }
    }

    /**
     * Finds the watchdog.
     *
     * <p>Its process id alone could have been reused. The command line contains the folder's name, which is unique, and {@link
     * ProcessHandle} compares start times when it signals.
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

    /** Removes the folder, the deadline first: without it the watchdog kills nothing. */
    void delete() {
        for (String name : new String[] {"deadline", "deadline.next", "watchdog", "watchdog.sh", ""}) {
            try {
                Files.deleteIfExists(folder.resolve(name));
            } catch (IOException left) {
                System.getLogger(WatchdogFolder.class.getName())
                        .log(System.Logger.Level.DEBUG, () -> "left behind: " + folder.resolve(name), left);
            }
        }
    }
}
