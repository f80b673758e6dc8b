package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Checks the path of a lock store. */
final class StorePath {

    /** File systems that are shared by machines, which do not share the memory that SQLite's log needs. */
    private static final Pattern NETWORK = Pattern.compile(
            "(nfs|cifs|smb|afs|ncp|9p|ceph|gluster|lustre|gpfs|beegfs|fuse\\.(sshfs|gluster|ceph|rclone|s3fs)).*");

    /** See proc_pid_mountinfo(5): the fifth field is where something is mounted. */
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    private StorePath() {}

    /**
     * Returns the absolute path of a store that can be opened or created.
     *
     * @throws BackendException if not; it names the obstacle and the remedy
     */
    static Path usable(Path path) {
        Path file = path.toAbsolutePath().normalize();
        Path folder = file.getParent();
        if (folder == null || Files.isDirectory(file)) {
            throw unusable(ErrorCode.MISCONFIGURED, file, "it is a folder; name a file in it");
        }
        if (!Files.isDirectory(folder)) {
            throw unusable(
                    ErrorCode.SERVICE_UNAVAILABLE,
                    file,
                    "the folder " + folder + " does not exist; create it (mkdir -p '" + folder + "')");
        }
        // SQLite would open a file that cannot be written to and fail at the first attempt to take a lock.
        if (!Files.isWritable(folder) || (Files.exists(file) && !Files.isWritable(file))) {
            throw unusable(
                    ErrorCode.AUTH_FAILED,
                    file,
                    "it is read-only for user '" + System.getProperty("user.name")
                            + "'; allow writing to the file, to its folder, and to the disk");
        }
        if (Files.exists(file) && names(file) > 1) {
            throw unusable(
                    ErrorCode.MISCONFIGURED,
                    file,
                    "it has another name too, as a hard link; opened under both, the file has two logs, and locks are held twice."
                            + " Leave one name: ls -i shows which files are one");
        }
        if (isMountPoint(file, MOUNTS)) {
            throw unusable(
                    ErrorCode.MISCONFIGURED,
                    file,
                    "it is mounted by itself, without the log beside it; opened here and where it comes from, locks are held twice."
                            + " Mount its folder");
        }
        String type = fileSystemOf(folder);
        if (isNetwork(type)) {
            throw unusable(
                    ErrorCode.MISCONFIGURED,
                    file,
                    "it lies on a network file system (" + type
                            + "), where two machines could hold one lock; name a file on a"
                            + " local disk, or use a server as the store");
        }
        return file;
    }

    /** Returns how many hard links a file has; 1 where that cannot be told. */
    static int names(Path file) {
        try {
            return (Integer) Files.getAttribute(file, "unix:nlink");
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return 1;
        }
    }

    /** Whether a file is mounted as such, as by {@code docker run -v FILE:FILE}; false where Linux's list of mounts cannot be read. */
    static boolean isMountPoint(Path file, Path mounts) {
        if (!Files.exists(file) || !Files.isReadable(mounts)) {
            return false;
        }
        try (Stream<String> lines = Files.lines(mounts, StandardCharsets.ISO_8859_1)) {
            String place = mountName(file.toRealPath());
            return lines.anyMatch(mount -> mount.split(" ", 6)[4].equals(place));
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    /** As the list has it: in bytes, with blanks and backslashes as three octal digits. */
    private static String mountName(Path place) {
        String bytes = new String(place.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return bytes.replace("\\", "\\134")
                .replace(" ", "\\040")
                .replace("\t", "\\011")
                .replace("\n", "\\012");
    }

    static String fileSystemOf(Path path) {
        try {
            return Files.getFileStore(path).type();
        } catch (IOException e) {
            return "unknown";
        }
    }

    static boolean isNetwork(String fileSystem) {
        return NETWORK.matcher(fileSystem.toLowerCase(Locale.ROOT)).matches();
    }

    private static BackendException unusable(ErrorCode code, Path file, String whatAndRemedy) {
        return new BackendException(code, Effect.NONE, "lock store " + file + ": " + whatAndRemedy, null);
    }
}
