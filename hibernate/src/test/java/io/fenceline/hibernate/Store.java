package io.fenceline.hibernate;

import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.servers.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The database products on which entities are tested. */
enum Store {
    POSTGRESQL {
        @Override
        String newUrl() {
            return Database.Shared.SERVER.jdbcUrl(Database.Shared.SERVER.newDatabase());
        }

        @Override
        DataSource source(String url) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            return source;
        }
    },

    MARIADB {
        @Override
        String newUrl() {
            return MariaDb.SERVER.jdbcUrl(MariaDb.SERVER.newDatabase());
        }

        @Override
        DataSource source(String url) {
            try {
                return new MariaDbDataSource(url);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    },

    H2 {
        @Override
        String newUrl() {
            return "jdbc:h2:mem:matrix" + COUNT.incrementAndGet()
                    + ";DB_CLOSE_DELAY=-1;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE;NON_KEYWORDS=VALUE";
        }

        @Override
        DataSource source(String url) {
            JdbcDataSource source = new JdbcDataSource();
            source.setUrl(url);
            return source;
        }
    };

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Makes an empty database. */
    abstract String newUrl();

    abstract DataSource source(String url);

    /** Makes a database with the table of fences. */
    String newGuardedUrl() {
        String url = newUrl();
        JdbcFenceGuard.on(source(url)).schema().installSchema();
        return url;
    }

    static Connection connect(String url) {
        try {
            return DriverManager.getConnection(url, new Properties());
        } catch (SQLException e) {
            throw new IllegalStateException(url, e);
        }
    }

    /** One server for all tests of a JVM; it ends with it. */
    private static final class MariaDb {
        static final MariaDbServer SERVER = MariaDbServer.start(
                Map.of("innodb-flush-log-at-trx-commit", "0", "collation-server", "utf8mb4_nopad_bin"));
    }
}
