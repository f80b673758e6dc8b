package io.fenceline.jdbc.guard;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** A file in a folder of its own, in which names are spelled as they are written. */
final class H2Place implements GuardPlace {

    private final Path folder;
    private final String isolation;
    private HikariDataSource pool;

    H2Place() {
        this("TRANSACTION_READ_COMMITTED");
    }

    H2Place(String isolation) {
        this.isolation = isolation;
        try {
            folder = Files.createTempDirectory("fenceline-h2");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.pool = newPool();
    }

    private HikariDataSource newPool() {
        HikariDataSource fresh = new HikariDataSource();
        fresh.setJdbcUrl("jdbc:h2:" + folder.resolve("data")
                + ";WRITE_DELAY=0;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE;NON_KEYWORDS=VALUE");
        fresh.setTransactionIsolation(isolation);
        fresh.setMinimumIdle(1);
        fresh.setMaximumPoolSize(12);
        return fresh;
    }

    @Override
    public DataSource source() {
        return pool;
    }

    @Override
    public String in(String name) {
        return name;
    }

    /** With its last connection the database is closed. */
    @Override
    public void restart() {
        pool.close();
        pool = newPool();
    }

    @Override
    public void close() {
        pool.close();
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
