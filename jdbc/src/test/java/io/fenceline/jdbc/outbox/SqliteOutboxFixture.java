package io.fenceline.jdbc.outbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** A file of its own. */
final class SqliteOutboxFixture implements OutboxFixture {

    private final Path file;

    SqliteOutboxFixture() {
        try {
            this.file = Files.createTempFile("outbox", ".db");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public DataSource source() {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setBusyTimeout(10_000);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    @Override
    public void close() {
        for (String ending : List.of("", "-wal", "-shm")) {
            try {
                Files.deleteIfExists(Path.of(file + ending));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
