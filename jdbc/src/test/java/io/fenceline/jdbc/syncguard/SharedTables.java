package io.fenceline.jdbc.syncguard;

import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.servers.PostgresServer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A schema with SyncGuard's tables, and with a clock that the tests move: a function {@code clock_timestamp} that is found before the
 * server's own.
 */
final class SharedTables implements AutoCloseable {

    private static final Queue<String> USED = new ConcurrentLinkedQueue<>();

    private static final String MACHINE = """
            CREATE TABLE %1$s.machine (shift interval NOT NULL, stands_at timestamptz);
            INSERT INTO %1$s.machine VALUES ('0 s', NULL);
            CREATE FUNCTION %1$s.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
              SELECT coalesce(stands_at, pg_catalog.clock_timestamp()) + shift FROM %1$s.machine
            $$;
            """;

    private final PostgresServer server = TestServer.shared();
    private final String schema;

    SharedTables() {
        String used = USED.poll();
        if (used == null) {
            schema = TestServer.newSchema(server);
            execute(MACHINE.formatted(schema) + script());
        } else {
            schema = used;
        }
    }

    private static String script() {
        return new SyncGuardSchema(null, new SyncGuardTables("syncguard_locks", "syncguard_fence_counters"))
                .schemaScript();
    }

    PGSimpleDataSource source() {
        PGSimpleDataSource source = TestServer.dataSource(server);
        source.setCurrentSchema(schema + ",pg_catalog");
        return source;
    }

    String schema() {
        return schema;
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

    void execute(String sql) {
        server.execute("postgres", "SET search_path = " + schema + ", pg_catalog; " + sql);
    }

    @Override
    public void close() {
        execute(
                "TRUNCATE syncguard_locks, syncguard_fence_counters; UPDATE machine SET shift = '0 s', stands_at = NULL");
        USED.add(schema);
    }
}
