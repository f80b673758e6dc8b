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
 * A store in a file. The first change creates the file and its tables. Until then reads find nothing and create nothing.
 *
 * <p>All processes see a change as soon as it is committed. It is on the disk before the call returns. So the holder never learned of a
 * grant that a power failure takes back; only a reader may have seen it.
 */
final class SqliteStore implements AutoCloseable {

    private static final Duration UNLIMITED = LockOptions.MAX_TTL;

    private final Path path;
    private final Duration busyLimit;
    private final MachineClock clock;

    /** Held while the file is opened or closed. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable OpenFile open;
    private volatile boolean closed;

    private SqliteStore(Path path, Duration busyLimit, MachineClock clock) {
        this.path = path;
        this.busyLimit = busyLimit;
        this.clock = clock;
    }

    /** Opens a store if there is one at the path; otherwise checks that it can be created there. */
    static SqliteStore open(Path anyPath, Duration busyLimit, MachineClock clock) {
        SqliteStore store = new SqliteStore(StorePath.usable(anyPath), busyLimit, clock);
        store.existing();
        return store;
    }

    /** Runs a statement that changes a row and returns it, or changes and returns nothing. */
    <T> Optional<T> change(String sql, RowReader<T> row, Object... values) {
        return change(UNLIMITED, sql, row, values);
    }

    /** Runs such a statement for a caller that waits no longer than the timeout. */
    <T> Optional<T> change(Duration timeout, String sql, RowReader<T> row, Object... values) {
        OpenFile file = created();
        Optional<T> changed = file.change(timeout, sql, row, values);
        if (changed.isPresent()) {
            file.sync();
        }
        return changed;
    }

    /** Runs such a statement and does not wait for the disk: a power failure may undo the change. */
    <T> Optional<T> changeWithoutSync(String sql, RowReader<T> row, Object... values) {
        return changeWithoutSync(UNLIMITED, sql, row, values);
    }

    /** Does the same for a caller that waits no longer than the timeout. */
    <T> Optional<T> changeWithoutSync(Duration timeout, String sql, RowReader<T> row, Object... values) {
        OpenFile file = created();
        Optional<T> changed = file.change(timeout, sql, row, values);
        file.files().ensureInPlace(Effect.UNKNOWN);
        return changed;
    }

    /** Runs several statements in one transaction. */
    <T> T changeAll(Work<T> work) {
        OpenFile file = created();
        T result = file.writer().inTransaction(statements -> {
            file.files().ensureInPlace(Effect.NONE);
            return work.run(statements);
        });
        file.sync();
        return result;
    }

    /** Runs work that commits by itself, for instance DDL in a transaction of its own. */
    <T> T changeSchema(SqlWork<T> work) {
        OpenFile file = created();
        T result = file.writer().run(statements -> {
            file.files().ensureInPlace(Effect.NONE);
            return statements.with(work);
        });
        file.sync();
        return result;
    }

    /** Waits until all that was committed is on the disk, and ensures that it was committed to the right file. */
    void sync() {
        created().sync();
    }

    /** Reads one row or none, without waiting for writers. */
    <T> Optional<T> one(String sql, RowReader<T> row, Object... values) {
        return one(UNLIMITED, sql, row, values);
    }

    /** Does the same for a caller that waits no longer than the timeout. */
    <T> Optional<T> one(Duration timeout, String sql, RowReader<T> row, Object... values) {
        return read(timeout, statements -> statements.one(sql, row, values), Optional.empty());
    }

    /** Reads rows, without waiting for writers. Skips and logs those that were damaged. */
    <T> List<T> readable(String sql, RowReader<T> row, Object... values) {
        return read(statements -> statements.all(sql, RowReader.readable(row), values), List.<Optional<T>>of()).stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Reads, without waiting for writers.
     *
     * @param ifMissing the answer where there is no store yet
     */
    <T> T read(Work<T> work, T ifMissing) {
        return read(UNLIMITED, work, ifMissing);
    }

    private <T> T read(Duration timeout, Work<T> work, T ifMissing) {
        OpenFile file = existing();
        if (file == null) {
            return ifMissing;
        }
        return file.reader().run(timeout, statements -> {
            file.files().ensureInPlace(Effect.NONE);
            try {
                return work.run(statements);
            } catch (SQLException e) {
                if (!file.isComplete() && String.valueOf(e.getMessage()).contains("no such table")) {
                    return ifMissing; // a store from before there were fences
                }
                throw e;
            }
        });
    }

    boolean exists() {
        return existing() != null;
    }

    Path path() {
        return path;
    }

    SchemaControl schema() {
        return new SqliteSchemaControl(this);
    }

    /** Creates what is missing. */
    void create() {
        created();
    }

    /** Returns the open file; null if there is no store yet. */
    private @Nullable OpenFile existing() {
        OpenFile file = open;
        if (file != null) {
            return file;
        }
        lock.lock();
        try {
            ensureNotClosed();
            if (open == null && hasContent()) {
                open = OpenFile.existing(path, busyLimit, clock);
            }
            return open;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the open file, with all tables. */
    private OpenFile created() {
        OpenFile file = open;
        if (file != null && file.isComplete()) {
            return file;
        }
        lock.lock();
        try {
            ensureNotClosed();
            OpenFile created = open == null ? OpenFile.created(path, busyLimit, clock) : open;
            created.complete();
            open = created;
            return created;
        } finally {
            lock.unlock();
        }
    }

    private void ensureNotClosed() {
        if (closed) {
            throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "the backend is closed", null);
        }
    }

    /** An empty file counts as none: somebody may have created it for a store to be. */
    private boolean hasContent() {
        try {
            return Files.size(path) > 0;
        } catch (IOException none) {
            return false;
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            OpenFile file = open;
            if (file != null && !closed) {
                file.close();
            }
            closed = true;
        } finally {
            lock.unlock();
        }
    }
}
