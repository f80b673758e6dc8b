package io.fenceline.jdbc.trigger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig.TransactionMode;
import org.sqlite.SQLiteDataSource;

/** A file of its own. */
final class SqlitePlace implements TriggerPlace {

    private final Path folder;

    SqlitePlace() {
        try {
            folder = Files.createTempDirectory("fenceline");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path file() {
        return folder.resolve("app.db");
    }

    @Override
    public DataSource source() {
        return source(true);
    }

    DataSource source(boolean foreignKeys) {
        SQLiteConfig config = new SQLiteConfig();
        config.enforceForeignKeys(foreignKeys);
        config.setBusyTimeout(10_000);
        config.setJournalMode(JournalMode.WAL);
        config.setSynchronous(SynchronousMode.OFF);
        config.setTransactionMode(TransactionMode.IMMEDIATE);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file());
        return source;
    }

    @Override
    public String fences() {
        return "fenceline_fences";
    }

    /** No connection is kept, so nothing is left in memory. */
    @Override
    public void restart() {}

    @Override
    public void close() {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
