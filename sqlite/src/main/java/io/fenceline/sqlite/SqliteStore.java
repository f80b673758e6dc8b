package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockOptions;
import io.fenceline.jdbc.sql.RowReader;
import io.fenceline.jdbc.sql.SqlWork;
import io.fenceline.spi.SchemaControl;
import io.fenceline.sqlite.SqliteConnection.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A store: one connection that writes, one that reads, and the promise of what has happened when a call returns.
 *
 * <p>The file and its tables are made by the first change. Until then whoever reads finds nothing, and makes nothing.
 *
 * <p>A change is seen by all processes as soon as it is committed, and is on the disk before its caller is answered. So a
 * grant that a power failure takes back was never told to its holder; only a reader may have seen it.
 */
final class SqliteStore implements AutoCloseable {

    private final Path path;
    private final SqliteOptions options;

    /** Taken to open and to close. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile @Nullable OpenFile open;
    private volatile boolean closed;

    private SqliteStore(Path path, SqliteOptions options) {
        this.path = path;
        this.options = options;
    }

    /** Opens a store if there is one at the path; else makes sure that it can be made there. */
    static SqliteStore open(Path anyPath, SqliteOptions options) {
        SqliteStore store = new SqliteStore(StorePath.usable(anyPath), options);
        store.found();
        return store;
    }

    /** Runs a statement that changes a row and returns it, or changes and returns nothing. */
    <T> Optional<T> change(String sql, RowReader<T> row, Object... values) {
        return change(LockOptions.MAX_TTL, sql, row, values);
    }

    /** The same for a caller that waits for its turn no longer than the timeout. */
    <T> Optional<T> change(Duration timeout, String sql, RowReader<T> row, Object... values) {
        OpenFile file = made();
        Optional<T> changed = file.committed(timeout, sql, row, values);
        if (changed.isPresent()) {
            file.makeDurable();
        }
        return changed;
    }

    /** The same for a change that a power failure may undo although its caller was answered. */
    <T> Optional<T> changeLightly(String sql, RowReader<T> row, Object... values) {
        return changeLightly(LockOptions.MAX_TTL, sql, row, values);
    }

    /** The same for a caller that waits for its turn no longer than the timeout. */
    <T> Optional<T> changeLightly(Duration timeout, String sql, RowReader<T> row, Object... values) {
        OpenFile file = made();
        Optional<T> changed = file.committed(timeout, sql, row, values);
        file.files().ensureInPlace(Effect.UNKNOWN);
        return changed;
    }

    /** Makes several changes at once. */
    <T> T changeAll(Work<T> work) {
        OpenFile file = made();
        T result = file.writer().atomically(statements -> {
            file.files().ensureInPlace(Effect.NONE);
            return work.with(statements);
        });
        file.makeDurable();
        return result;
    }

    /** Does something, perhaps in a transaction of its own, that commits by itself. */
    <T> T changeSchema(SqlWork<T> work) {
        OpenFile file = made();
        T result = file.writer().alone(statements -> {
            file.files().ensureInPlace(Effect.NONE);
            return statements.with(work);
        });
        file.makeDurable();
        return result;
    }

    /** Waits until all that was committed is on the disk, and makes sure that it was committed to the right file. */
    void makeDurable() {
        made().makeDurable();
    }

    /** Reads one row or none, without waiting for writers. */
    <T> Optional<T> one(String sql, RowReader<T> row, Object... values) {
        return all(sql, row, values).stream().findFirst();
    }

    /** Reads rows, without waiting for writers. */
    <T> List<T> all(String sql, RowReader<T> row, Object... values) {
        return all(LockOptions.MAX_TTL, sql, row, values);
    }

    /** The same for a caller that waits for its turn no longer than the timeout. */
    <T> List<T> all(Duration timeout, String sql, RowReader<T> row, Object... values) {
        return read(timeout, statements -> statements.all(sql, row, values), List.of());
    }

    /** Reads rows, but those that cannot be read, which are not to hide the others. */
    <T> List<T> readable(String sql, RowReader<T> row, Object... values) {
        return all(sql, RowReader.readable(row), values).stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Reads, without waiting for writers.
     *
     * @param ofNothing the answer where there is no store yet
     */
    <T> T read(Work<T> work, T ofNothing) {
        return read(LockOptions.MAX_TTL, work, ofNothing);
    }

    private <T> T read(Duration timeout, Work<T> work, T ofNothing) {
        OpenFile file = found();
        if (file == null) {
            return ofNothing;
        }
        return file.reader().alone(timeout, statements -> {
            file.files().ensureInPlace(Effect.NONE);
            try {
                return work.with(statements);
            } catch (SQLException e) {
                if (!file.isComplete() && String.valueOf(e.getMessage()).contains("no such table")) {
                    return ofNothing; // a store from before there were fences
                }
                throw e;
            }
        });
    }

    /** Tells whether there is a store. */
    boolean exists() {
        return found() != null;
    }

    Path path() {
        return path;
    }

    SchemaControl schema() {
        return new SqliteSchemaControl(this);
    }

    /** Makes what is missing. */
    void make() {
        made();
    }

    /** Returns the open file, or nothing if there is no store yet. */
    private @Nullable OpenFile found() {
        OpenFile file = open;
        if (file != null) {
            return file;
        }
        turn.lock();
        try {
            ensureNotClosed();
            if (open == null && hasContent()) {
                open = OpenFile.found(path, options);
            }
            return open;
        } finally {
            turn.unlock();
        }
    }

    /** Returns the open file, with all tables. */
    private OpenFile made() {
        OpenFile file = open;
        if (file != null && file.isComplete()) {
            return file;
        }
        turn.lock();
        try {
            ensureNotClosed();
            OpenFile made = open == null ? OpenFile.made(path, options) : open;
            made.complete();
            open = made;
            return made;
        } finally {
            turn.unlock();
        }
    }

    private void ensureNotClosed() {
        if (closed) {
            throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "this backend was closed", null);
        }
    }

    /** An empty file is as good as none: somebody may have made it for a store to be. */
    private boolean hasContent() {
        try {
            return Files.size(path) > 0;
        } catch (IOException none) {
            return false;
        }
    }

    @Override
    public void close() {
        turn.lock();
        try {
            closed = true;
            OpenFile file = open;
            if (file != null) {
                file.close();
            }
        } finally {
            turn.unlock();
        }
    }
}
