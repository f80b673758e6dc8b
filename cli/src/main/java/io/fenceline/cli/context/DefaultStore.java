package io.fenceline.cli.context;

import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** The store used if no other is named: a SQLite file in the user's data folder. */
record DefaultStore(Path folder) {

    /** Follows the XDG base directory rules: a relative {@code XDG_DATA_HOME} is ignored. */
    static DefaultStore of(ProcessEnvironment environment) {
        String data = environment.variable("XDG_DATA_HOME");
        if (data.startsWith("/")) {
            return new DefaultStore(Path.of(data, "fenceline"));
        }
        String home = environment.variable("HOME");
        if (home.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "HOME is not set, so there is no default store; name one, for instance --backend sqlite:/path/to/locks.db");
        }
        return new DefaultStore(Path.of(home, ".local", "share", "fenceline"));
    }

    /** The store's URI. Creates its folder, accessible to its owner only. */
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

    /** The folder is private from its creation on; its parents have default permissions. */
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
