package io.fenceline.cli.launch;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.OSInfo;

/** Copies SQLite's native library for this machine out of the driver's jar, which would unpack it at each start. */
final class NativeLibrary {
    private NativeLibrary() {}

    /**
     * Copies the library to the folder that is the only argument. Replaces an older copy atomically, because processes may be loading
     * it.
     */
    public static void main(String[] words) throws IOException {
        Path folder = Files.createDirectories(Path.of(words[0]));
        String name = System.mapLibraryName("sqlitejdbc");
        String resource = "/org/sqlite/native/" + OSInfo.getNativeLibFolderPathForCurrentOS() + "/" + name;
        try (InputStream library = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
            if (library == null) {
                throw new NoSuchFileException(resource);
            }
            Path unpacked = Files.createTempFile(folder, "unpacking", "");
            Files.copy(library, unpacked, REPLACE_EXISTING);
            Files.move(unpacked, folder.resolve(name), ATOMIC_MOVE);
        }
    }
}
