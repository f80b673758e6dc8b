package io.fenceline.cli;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The store that all commands of one user share where nobody names another: a SQLite file in the user's data folder.
 *
 * @param folder where the file is
 */
record UserStore(Path folder) {

    /** The store of a user, by the rules of the XDG base directories: a relative {@code XDG_DATA_HOME} does not count. */
    static UserStore of(Surroundings surroundings) {
        String data = surroundings.variable("XDG_DATA_HOME");
        if (data.startsWith("/")) {
            return new UserStore(Path.of(data, "fenceline"));
        }
        String home = surroundings.variable("HOME");
        if (home.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "there is no HOME, so no default store; name one, for instance --backend sqlite:/path/to/locks.db");
        }
        return new UserStore(Path.of(home, ".local", "share", "fenceline"));
    }

    /** The store's URI; its folder is there afterwards, for its owner only. */
    String uri() {
        try {
            if (!Files.isDirectory(folder)) {
                createFolder();
            }
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.STORE_UNAVAILABLE,
                    "cannot create the folder of the default store, " + folder
                            + "; name another store, for instance --backend sqlite:/path/to/locks.db",
                    e);
        }
        return "sqlite:" + folder.resolve("locks.db");
    }

    /** What lies above may be everybody's; the folder itself is made private in one step with its making. */
    private void createFolder() throws IOException {
        Path parent = folder.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] ownersOnly = posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
        Files.createDirectories(folder, ownersOnly);
    }
}
