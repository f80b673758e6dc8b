package io.fenceline.jdbc.sqlite;

import io.fenceline.Effect;
import io.fenceline.jdbc.dialect.SqlWork;
import io.fenceline.jdbc.sqlite.Session.Work;
import io.fenceline.spi.AcquireRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An open store: one connection that writes, one that reads, and the promise of what has happened when a call returns.
 *
 * <p>A change is seen by all processes as soon as it is committed, and is on the disk before its caller is answered. So a
 * grant that a power failure takes back was never told to its holder; only a reader may have seen it.
 */
final class SqliteStore implements AutoCloseable {

    private final Path path;
    private final Session writer;
    private final Session reader;
    private final StoreFiles files;

    private SqliteStore(Path path, Session writer, Session reader, StoreFiles files) {
        this.path = path;
        this.writer = writer;
        this.reader = reader;
        this.files = files;
    }

    /** Opens a store, which is created if it is missing. */
    static SqliteStore open(Path anyPath, SqliteOptions options) {
        Path path = StorePath.usable(anyPath);
        Session writer = Session.toWrite(path, options);
        try {
            new SqliteSchema(path, writer).installSchema();
            Session reader = Session.toRead(path, options);
            try {
                reader.alone(statements -> statements.one("SELECT count(*) FROM sqlite_schema", row -> row.getInt(1)));
                return new SqliteStore(path, writer, reader, StoreFiles.of(path));
            } catch (RuntimeException e) {
                reader.close();
                throw e;
            }
        } catch (RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    /** Runs a statement that changes a row and returns it, or changes and returns nothing. */
    <T> Optional<T> change(String sql, RowReader<T> row, Object... values) {
        return change(AcquireRequest.MAX_TTL, sql, row, values);
    }

    /** The same for a caller that waits for its turn no longer than the timeout. */
    <T> Optional<T> change(Duration timeout, String sql, RowReader<T> row, Object... values) {
        Optional<T> changed = committed(timeout, sql, row, values);
        if (changed.isPresent()) {
            makeDurable();
        }
        return changed;
    }

    /** The same for a change that a power failure may undo although its caller was answered. */
    <T> Optional<T> changeLightly(String sql, RowReader<T> row, Object... values) {
        Optional<T> changed = committed(AcquireRequest.MAX_TTL, sql, row, values);
        files.ensureInPlace(Effect.UNKNOWN);
        return changed;
    }

    /** Makes several changes at once. */
    <T> T changeAll(Work<T> work) {
        T result = writer.atomically(statements -> {
            files.ensureInPlace(Effect.NONE);
            return work.with(statements);
        });
        makeDurable();
        return result;
    }

    /** Does something, perhaps in a transaction of its own, that commits by itself. */
    <T> T changeSchema(SqlWork<T> work) {
        T result = writer.alone(statements -> {
            files.ensureInPlace(Effect.NONE);
            return statements.with(work);
        });
        makeDurable();
        return result;
    }

    /** Waits until all that was committed is on the disk, and makes sure that it was committed to the right file. */
    void makeDurable() {
        files.sync();
        files.ensureInPlace(Effect.UNKNOWN);
    }

    /** Reads one row or none, without waiting for writers. */
    <T> Optional<T> one(String sql, RowReader<T> row, Object... values) {
        return all(sql, row, values).stream().findFirst();
    }

    /** Reads rows, without waiting for writers. */
    <T> List<T> all(String sql, RowReader<T> row, Object... values) {
        return all(AcquireRequest.MAX_TTL, sql, row, values);
    }

    /** The same for a caller that waits for its turn no longer than the timeout. */
    <T> List<T> all(Duration timeout, String sql, RowReader<T> row, Object... values) {
        return reader.alone(timeout, statements -> {
            files.ensureInPlace(Effect.NONE);
            return statements.all(sql, row, values);
        });
    }

    private <T> Optional<T> committed(Duration timeout, String sql, RowReader<T> row, Object... values) {
        return writer.alone(timeout, statements -> {
            files.ensureInPlace(Effect.NONE);
            return statements.one(sql, row, values);
        });
    }

    Path path() {
        return path;
    }

    SqliteSchema schema() {
        return new SqliteSchema(path, writer);
    }

    @Override
    public void close() {
        reader.close();
        writer.close();
        files.close();
    }
}
