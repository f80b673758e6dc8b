package io.fenceline.jdbc.guard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteDataSource;

/** A file in a folder of its own. */
final class SqlitePlace implements GuardPlace {

    private final Path folder;
    private final SQLiteDataSource source;

    SqlitePlace() {
        this(JournalMode.WAL, 10_000);
    }

    SqlitePlace(JournalMode journal, int busyMillis) {
        try {
            folder = Files.createTempDirectory("fenceline");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(journal);
        config.setSynchronous(SynchronousMode.OFF);
        config.setBusyTimeout(busyMillis);
        source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + folder.resolve("data.db"));
    }

    @Override
    public DataSource source() {
        return source;
    }

    @Override
    public String in(String name) {
        return name;
    }

    /** What was written is in the file: every connection is a new one. */
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
