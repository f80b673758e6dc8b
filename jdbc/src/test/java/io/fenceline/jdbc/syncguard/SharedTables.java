package io.fenceline.jdbc.syncguard;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A schema with SyncGuard's tables, and with a clock that the tests move: functions that are found before the server's
 * own. One pool for all tests that borrow the schema.
 */
final class SharedTables implements AutoCloseable {

    private static final Queue<SharedTables> USED = new ConcurrentLinkedQueue<>();

    private static final String MACHINE = """
            CREATE TABLE %1$s.machine (shift interval NOT NULL, stands_at timestamptz);
            INSERT INTO %1$s.machine VALUES ('0 s', NULL);
            CREATE FUNCTION %1$s.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
              SELECT coalesce(stands_at, pg_catalog.clock_timestamp()) + shift FROM %1$s.machine
            $$;
            CREATE FUNCTION %1$s.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
              SELECT coalesce(stands_at, pg_catalog.now()) + shift FROM %1$s.machine
            $$;
            """;

    private final PostgresServer server = TestServer.shared();
    private final String schema = TestServer.newSchema(server);
    private final HikariDataSource pool = new HikariDataSource();

    private SharedTables() {
        pool.setDataSource(source());
        pool.setMinimumIdle(0);
        pool.setMaximumPoolSize(20);
        pool.setConnectionTimeout(5_000);
        execute(MACHINE.formatted(schema) + script());
    }

    /** Lends empty tables, whose clock is right. */
    static SharedTables borrow() {
        SharedTables used = USED.poll();
        return used == null ? new SharedTables() : used;
    }

    private static String script() {
        return new SyncGuardSchema(null, null, new SyncGuardTables("syncguard_locks", "syncguard_fence_counters"))
                .schemaScript();
    }

    PGSimpleDataSource source() {
        PGSimpleDataSource source = TestServer.dataSource(server);
        source.setCurrentSchema(schema + ",pg_catalog");
        return source;
    }

    HikariDataSource pool() {
        return pool;
    }

    PostgresServer server() {
        return server;
    }

    void passTime(Duration time) {
        execute("UPDATE machine SET shift = shift + interval '" + time.toMillis() + " ms'");
    }

    /** From now on time only passes by {@link #passTime}. */
    void stopClock() {
        execute("UPDATE machine SET stands_at = pg_catalog.clock_timestamp()");
    }

    private void execute(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        execute("DELETE FROM syncguard_locks; DELETE FROM syncguard_fence_counters;"
                + " UPDATE machine SET shift = '0 s', stands_at = NULL");
        USED.add(this);
    }
}
