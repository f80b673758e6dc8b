package io.fenceline.jdbc.mariadb;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.spi.SchemaControl;
import java.sql.SQLException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.mariadb.jdbc.MariaDbDataSource;

/** One server for all tests of a JVM that leave it running. */
public final class TestServer {

    private static final Queue<String> USED = new ConcurrentLinkedQueue<>();

    private TestServer() {}

    /** Skips the test, and says so, where no server can be started. */
    public static MariaDbServer shared() {
        requireServer();
        return Shared.SERVER;
    }

    static void requireServer() {
        MariaDbServer.missing().ifPresent(why -> {
            System.err.println("SKIPPED: locks on MariaDB are not shown: " + why);
            assumeTrue(false, why);
        });
    }

    /** Lends a database with empty tables. To empty them is quicker than to make them. */
    static String borrowDatabase() {
        MariaDbServer server = shared();
        String used = USED.poll();
        if (used != null) {
            return used;
        }
        String fresh = server.newDatabase();
        JdbcLockBackend.on(dataSource(server, fresh), JdbcOptions.defaults())
                .ability(SchemaControl.class)
                .orElseThrow()
                .installSchema();
        return fresh;
    }

    /** Takes a database back. */
    static void giveBack(String database) {
        shared().execute(database, "DELETE FROM fenceline_lock");
        shared().execute(database, "DELETE FROM fenceline_lock_audit");
        shared().execute(database, "DELETE FROM fenceline_lock_waiter");
        shared().execute(database, "DELETE FROM fenceline_fences");
        shared().execute(database, "DELETE FROM fenceline_fences_audit");
        USED.add(database);
    }

    static MariaDbDataSource dataSource(MariaDbServer server, String database) {
        return dataSource(server.jdbcUrl(database));
    }

    static MariaDbDataSource dataSource(String url) {
        try {
            return new MariaDbDataSource(url);
        } catch (SQLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static final class Shared {
        static final MariaDbServer SERVER = MariaDbServer.start(Map.of("max-connections", "300"));
    }
}
