package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Folders that servers work in. */
final class Folders {

    private Folders() {}

    static Path temporary(String prefix) {
        try {
            Path folder = Files.createTempDirectory(prefix);
            openToReaders(folder);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A server that runs as another user has to get in. */
    static void openToReaders(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    static void copy(Path from, Path to) {
        Command.run("cp", "-a", "--reflink=auto", from.toString(), to.toString());
    }

    static void remove(Path folder) {
        Command.run("rm", "-rf", folder.toString());
    }

    /** Where programs are unpacked to, once for each user of the machine. */
    static Path cache() throws IOException {
        return Files.createDirectories(
                Path.of(System.getProperty("java.io.tmpdir"), "fenceline-servers-" + System.getProperty("user.name")));
    }

    /** Fills a folder and gives it its name in one step. If another JVM was faster, its folder stays. */
    static void publish(Path name, Filling filling) throws IOException {
        Path folder = Files.createTempDirectory(name.getParent(), name.getFileName() + ".");
        openToReaders(folder);
        filling.fill(folder);
        try {
            Files.move(folder, name, StandardCopyOption.ATOMIC_MOVE);
        } catch (DirectoryNotEmptyException | FileAlreadyExistsException faster) {
            remove(folder);
        } catch (FileSystemException e) {
            remove(folder);
            if (!Files.exists(name)) {
                throw e;
            }
        }
    }

    /** Puts what belongs there into an empty folder. */
    @FunctionalInterface
    interface Filling {
        void fill(Path folder) throws IOException;
    }
}
