package io.fenceline.sqlite;

import io.fenceline.Effect;
import io.fenceline.jdbc.sql.RowReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The open file of a store: one connection that writes, one that reads, and the files on the disk. */
final class OpenFile implements AutoCloseable {

    private final DriverCopy driver;
    private final SqliteSchema schema;
    private final SqliteConnection writer;
    private final SqliteConnection reader;
    private final StoreFiles files;
    private volatile boolean complete;

    private OpenFile(
            DriverCopy driver,
            SqliteSchema schema,
            SqliteConnection writer,
            SqliteConnection reader,
            StoreFiles files) {
        this.driver = driver;
        this.schema = schema;
        this.writer = writer;
        this.reader = reader;
        this.files = files;
        this.complete = writer.run(schema::isComplete);
    }

    /** Opens an existing store; null if the file is empty. */
    static @Nullable OpenFile existing(Path path, Duration busyLimit, MachineClock clock) {
        return open(path, busyLimit, clock, false);
    }

    /** Opens a file and creates the tables. Creates the file as well if it is missing. */
    static OpenFile created(Path path, Duration busyLimit, MachineClock clock) {
        OpenFile file = open(path, busyLimit, clock, true);
        if (file == null) {
            throw new IllegalStateException("no store was created at " + path);
        }
        return file;
    }

    private static @Nullable OpenFile open(Path path, Duration busyLimit, MachineClock clock, boolean create) {
        DriverCopy driver = DriverCopy.enter(path);
        OpenFile file = null;
        try {
            file = open(driver, path, busyLimit, clock, create);
            return file;
        } finally {
            if (file == null) {
                driver.close();
            }
        }
    }

    private static @Nullable OpenFile open(
            DriverCopy driver, Path path, Duration busyLimit, MachineClock clock, boolean create) {
        SqliteSchema schema = new SqliteSchema(path);
        SqliteConnection writer = SqliteConnection.toWrite(path, busyLimit, clock);
        try {
            if (create) {
                schema.install(writer);
            } else if (writer.run(schema::isFresh)) {
                writer.close();
                return null;
            }
            writer.run(PreparedStatements::useWriteAheadLog);
            SqliteConnection reader = SqliteConnection.toRead(path, busyLimit, clock);
            try {
                reader.run(statements -> statements.one("SELECT count(*) FROM sqlite_schema", row -> row.getInt(1)));
                return new OpenFile(driver, schema, writer, reader, StoreFiles.of(path));
            } catch (RuntimeException e) {
                reader.close();
                throw e;
            }
        } catch (RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    boolean isComplete() {
        return complete;
    }

    /** Creates the tables that a store of an earlier version lacks. */
    void complete() {
        if (!complete) {
            schema.install(writer);
            complete = true;
        }
    }

    /** Runs a statement in a transaction of its own, for a caller that waits no longer than the timeout. */
    <T> Optional<T> change(Duration timeout, String sql, RowReader<T> row, Object... values) {
        return writer.run(timeout, statements -> {
            files.ensureInPlace(Effect.NONE);
            return statements.one(sql, row, values);
        });
    }

    /** Waits until all that was committed is on the disk, and ensures that it was committed to the right file. */
    void sync() {
        files.sync();
        files.ensureInPlace(Effect.UNKNOWN);
    }

    SqliteConnection writer() {
        return writer;
    }

    SqliteConnection reader() {
        return reader;
    }

    StoreFiles files() {
        return files;
    }

    @Override
    public void close() {
        reader.close();
        writer.close();
        files.close();
        driver.close();
    }
}
