package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
