package io.fenceline.sqlite;

import io.fenceline.Effect;
import io.fenceline.jdbc.sql.RowReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The open file of a store. */
final class OpenFile implements AutoCloseable {

    private final SqliteSchema schema;
    private final SqliteConnection writer;
    private final SqliteConnection reader;
    private final StoreFiles files;
    private volatile boolean complete;

    private OpenFile(SqliteSchema schema, SqliteConnection writer, SqliteConnection reader, StoreFiles files) {
        this.schema = schema;
        this.writer = writer;
        this.reader = reader;
        this.files = files;
        this.complete = writer.alone(schema::isComplete);
    }

    /** Opens an existing store; null if the file is empty. */
    static @Nullable OpenFile found(Path path, SqliteOptions options) {
        return of(path, options, false);
    }

    /** Opens a file, which is created if it is missing, and makes the tables. */
    static OpenFile made(Path path, SqliteOptions options) {
        OpenFile file = of(path, options, true);
        if (file == null) {
            throw new IllegalStateException("no store was made at " + path);
        }
        return file;
    }

    private static @Nullable OpenFile of(Path path, SqliteOptions options, boolean making) {
        SqliteSchema schema = new SqliteSchema(path);
        SqliteConnection writer = SqliteConnection.toWrite(path, options);
        try {
            if (making) {
                schema.install(writer);
            } else if (writer.alone(schema::isFresh)) {
                writer.close();
                return null;
            }
            // The file remembers this. Without it readers and writers would keep each other waiting.
            writer.alone(statements -> statements.one("PRAGMA journal_mode = WAL", row -> row.getString(1)));
            SqliteConnection reader = SqliteConnection.toRead(path, options);
            try {
                reader.alone(statements -> statements.one("SELECT count(*) FROM sqlite_schema", row -> row.getInt(1)));
                return new OpenFile(schema, writer, reader, StoreFiles.of(path));
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

    /** Makes the tables that a store of an earlier version lacks. */
    void complete() {
        if (!complete) {
            schema.install(writer);
            complete = true;
        }
    }

    /** Runs a statement in a transaction of its own, for a caller that waits for its turn no longer than the timeout. */
    <T> Optional<T> committed(Duration timeout, String sql, RowReader<T> row, Object... values) {
        return writer.alone(timeout, statements -> {
            files.ensureInPlace(Effect.NONE);
            return statements.one(sql, row, values);
        });
    }

    void makeDurable() {
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
    }
}
