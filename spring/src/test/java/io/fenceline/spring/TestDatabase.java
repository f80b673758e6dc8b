package io.fenceline.spring;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.servers.PostgresServer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.JdbcTemplate;

/** The databases on which transactions are tested. */
enum TestDatabase {
    POSTGRESQL {
        @Override
        String newUrl() {
            return Postgres.SERVER.jdbcUrl(Postgres.SERVER.newDatabase());
        }
    },

    MARIADB {
        @Override
        String newUrl() {
            return MariaDb.SERVER.jdbcUrl(MariaDb.SERVER.newDatabase());
        }

        @Override
        String nameType() {
            return "varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin";
        }
    },

    H2 {
        @Override
        String newUrl() {
            return "jdbc:h2:mem:spring" + COUNT.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
        }
    };

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Makes an empty database. */
    abstract String newUrl();

    String nameType() {
        return "varchar(512)";
    }

    /** Makes a database with a table of texts and the table of fences. */
    String newGuardedUrl() {
        String url = newUrl();
        try (HikariDataSource source = pool(url, "TRANSACTION_READ_COMMITTED")) {
            new JdbcTemplate(source)
                    .execute("create table texts (name " + nameType() + " not null primary key, text varchar(4000))");
            JdbcFenceGuard.on(source).schema().installSchema();
        }
        return url;
    }

    static HikariDataSource pool(String url, String isolation) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setTransactionIsolation(isolation);
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    static PostgresServer postgres() {
        return Postgres.SERVER;
    }

    /** One server for all tests of a JVM; it ends with it. */
    private static final class Postgres {
        static final PostgresServer SERVER = PostgresServer.start(Map.of("fsync", "off", "max_connections", "300"));
    }

    /** One server for all tests of a JVM; it ends with it. */
    private static final class MariaDb {
        static final MariaDbServer SERVER = MariaDbServer.start(Map.of("innodb-flush-log-at-trx-commit", "0"));
    }
}
