package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The three files of an open database: the database itself, its log ({@code -wal}) and its shared memory ({@code -shm}).
 *
 * <p>SQLite goes on with the files it has opened when another process deletes or replaces them, and whoever comes next makes
 * new ones: then two processes could hold one lock. So every operation checks that the names still stand for the files
 * that were opened, and one that writes does so again before it answers. All three exist as long as a connection is open.
 *
 * <p>Never open the database or the shared memory here: closing them would give up the locks that SQLite holds on them for
 * this whole process. The log carries no locks.
 */
final class StoreFiles implements AutoCloseable {

    private final Path database;
    private final Map<Path, Object> identities = new LinkedHashMap<>();
    private final RandomAccessFile log;
    private volatile boolean syncFailed;

    private StoreFiles(Path database) throws IOException {
        this.database = database;
        Path real = database.toRealPath();
        for (Path file : new Path[] {database, logOf(real), sharedMemoryOf(real)}) {
            identities.put(file, identityOf(file));
        }
        // To be written to, though it is not: some systems sync no file that was opened to be read.
        this.log = new RandomAccessFile(logOf(real).toFile(), "rw");
    }

    /** Remembers the identities of the files of an open database. */
    static StoreFiles of(Path database) {
        try {
            return new StoreFiles(database);
        } catch (IOException e) {
            throw new BackendException(
                    ErrorCode.SERVICE_UNAVAILABLE,
                    Effect.NONE,
                    "lock store " + database + ": cannot be examined: " + e,
                    e);
        }
    }

    static Path logOf(Path database) {
        return database.resolveSibling(database.getFileName() + "-wal");
    }

    static Path sharedMemoryOf(Path database) {
        return database.resolveSibling(database.getFileName() + "-shm");
    }

    /**
     * Ensures that the files are in their places and that none was found unable to keep what is written.
     *
     * @param effect the error's effect if they are not
     */
    void ensureInPlace(Effect effect) {
        if (syncFailed) {
            // The system reports a failed write once and then calls the same data clean.
            throw unavailable(
                    effect, "its disk failed; stop all that use the store, check the disk, and start again", null);
        }
        for (Map.Entry<Path, Object> known : identities.entrySet()) {
            String change = changeOf(known.getKey(), known.getValue());
            if (!change.isEmpty()) {
                throw unavailable(
                        effect,
                        known.getKey().getFileName() + " " + change
                                + " while in use; put it back, or stop all that use the"
                                + " store, raise the tokens above those in use, and start again",
                        null);
            }
        }
    }

    private static String changeOf(Path file, Object identity) {
        try {
            return identity.equals(identityOf(file)) ? "" : "was replaced";
        } catch (IOException e) {
            return "is gone";
        }
    }

    /**
     * Flushes all that was committed before. Done after the commit and not by it, since a commit holds the write lock: so it is held
     * for microseconds, and processes wait for the disk side by side.
     */
    void sync() {
        try {
            log.getFD().sync();
        } catch (IOException e) {
            syncFailed = true;
            throw unavailable(Effect.UNKNOWN, "its disk fails; check the disk", e);
        }
    }

    private BackendException unavailable(Effect effect, String whatAndRemedy, @Nullable IOException cause) {
        return new BackendException(
                ErrorCode.SERVICE_UNAVAILABLE, effect, "lock store " + database + ": " + whatAndRemedy, cause);
    }

    /** Device and inode, where the system has such. */
    private static Object identityOf(Path file) throws IOException {
        return Objects.requireNonNullElse(
                Files.readAttributes(file, BasicFileAttributes.class).fileKey(), "");
    }

    @Override
    public void close() {
        try {
            log.close();
        } catch (IOException e) {
            // Nothing was written through it.
            System.getLogger(StoreFiles.class.getName()).log(System.Logger.Level.DEBUG, "closing failed", e);
        }
    }
}
