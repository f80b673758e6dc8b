package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sqlite.jdbc4.JDBC4Connection;

/**
 * Ensures that the files of one store are open through one copy of SQLite's driver only. A file's locks belong to the whole process, so
 * two copies, loaded by two class loaders, do not exclude each other, and the one that closes the file gives up the locks of both
 * (<a href="https://www.sqlite.org/howtocorrupt.html">How To Corrupt An SQLite Database File</a>, 2.2 and 2.2.1).
 *
 * <p>All class loaders share the system properties. Each open file has an entry there: its copy of the driver, and how many times it is
 * open.
 */
final class DriverCopy implements AutoCloseable {

    private static final String COPY = Integer.toHexString(System.identityHashCode(JDBC4Connection.class)) + " ";

    /** As many as Linux follows. */
    private static final int MAX_LINKS = 40;

    private final String property;

    private DriverCopy(String property) {
        this.property = property;
    }

    /**
     * Enters that a file is open, or will be.
     *
     * @throws BackendException if it is open through another copy
     */
    static DriverCopy enter(Path file) {
        String property = "io.fenceline.sqlite.open:" + placeOf(file);
        Object entry = System.getProperties()
                .compute(property, (name, users) -> users == null ? COPY + 1 : isOurs(users) ? plus(users, 1) : users);
        if (!isOurs(Objects.requireNonNull(entry))) {
            throw new BackendException(
                    ErrorCode.MISCONFIGURED,
                    Effect.NONE,
                    "lock store " + file
                            + ": it is open through another copy of SQLite's driver in this process, as by another"
                            + " application of the same server, so locks would be held twice; put the driver where both find it,"
                            + " such as the server's folder of shared libraries, or close the locks there first",
                    null);
        }
        return new DriverCopy(property);
    }

    /** One name for a file, whatever links lead to it, and the same before and after it is made. */
    private static Path placeOf(Path file) {
        try {
            Path place = file;
            for (int links = 0; links < MAX_LINKS && Files.isSymbolicLink(place); links++) {
                place = place.resolveSibling(Files.readSymbolicLink(place));
            }
            return Files.exists(place)
                    ? place.toRealPath()
                    : place.resolveSibling("").toRealPath().resolve(place.getFileName());
        } catch (IOException unknown) {
            return file;
        }
    }

    private static boolean isOurs(Object users) {
        return users.toString().startsWith(COPY);
    }

    private static String plus(Object users, int change) {
        return COPY + (Integer.parseInt(users.toString().substring(COPY.length())) + change);
    }

    private static @Nullable Object without(Object users) {
        return users.equals(COPY + 1) ? null : plus(users, -1);
    }

    @Override
    public void close() {
        System.getProperties().computeIfPresent(property, (name, users) -> isOurs(users) ? without(users) : users);
    }
}
