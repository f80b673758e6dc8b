package io.fenceline.servers;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/**
 * The static {@code redis-server} out of its Maven artifact, unpacked once for each user of the machine; or another, an older
 * one or Valkey, which the system property {@code fenceline.redis} names.
 */
final class RedisProgram {

    private static final String VERSION = "7.0.15";

    private RedisProgram() {}

    /** Returns the program for this machine. */
    static Path file() {
        String other = System.getProperty("fenceline.redis", "");
        if (!other.isEmpty()) {
            return Path.of(other);
        }
        String name = "redis-server-" + VERSION + "-" + system() + "-" + architecture();
        try {
            Path file = folder().resolve(name);
            if (!Files.isExecutable(file)) {
                unpack(name, file);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Others may be unpacking the same: whoever moves the whole file into place last wins, with the same bytes. */
    private static void unpack(String name, Path file) throws IOException {
        try (InputStream packed = RedisProgram.class.getClassLoader().getResourceAsStream(name)) {
            if (packed == null) {
                throw new FileNotFoundException(name + " is not in org.signal:embedded-redis; there is no Redis for "
                        + System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
            }
            Path part = Files.createTempFile(file.getParent(), name, ".part");
            Files.copy(packed, part, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** A folder that only this user can write to. */
    private static Path folder() throws IOException {
        Path folder =
                Path.of(System.getProperty("java.io.tmpdir"), "fenceline-redis-" + System.getProperty("user.name"));
        try {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException mayBeOurs) {
            Path home = Path.of(System.getProperty("user.home"));
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    || (Files.exists(home) && !Files.getOwner(folder).equals(Files.getOwner(home)))) {
                throw new IOException(folder + " belongs to somebody else; remove it", mayBeOurs);
            }
        }
        return folder;
    }

    private static String system() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
    }

    private static String architecture() {
        return switch (System.getProperty("os.arch")) {
            case "aarch64", "arm64" -> "arm64";
            case "i386", "x86" -> "386";
            default -> "amd64";
        };
    }
}
