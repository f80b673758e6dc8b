package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.SchemaControl;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;

/** One server for all tests of a JVM that leave it running. */
public final class TestServer {

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private static final Queue<String> USED = new ConcurrentLinkedQueue<>();

    private TestServer() {}

    public static PostgresServer shared() {
        return Shared.SERVER;
    }

    /** Makes a schema; a table of it is nobody else's. */
    public static String newSchema(PostgresServer server) {
        String name = "s" + SCHEMAS.incrementAndGet();
        server.execute("postgres", "CREATE SCHEMA " + name);
        return name;
    }

    /** Lends a schema with empty tables. To empty them is quicker than to make them. */
    static String borrowSchema() {
        String used = USED.poll();
        if (used != null) {
            return used;
        }
        String fresh = newSchema(shared());
        JdbcLockBackend.on(dataSource(shared()), JdbcOptions.defaults().withTable(fresh + ".fenceline_lock"))
                .ability(SchemaControl.class)
                .orElseThrow()
                .installSchema();
        return fresh;
    }

    /** Takes a schema back. */
    static void giveBack(String schema) {
        shared().execute(
                        "postgres",
                        "SET session_replication_role = replica; DELETE FROM " + schema
                                + ".fenceline_lock; DELETE FROM " + schema + ".fenceline_lock_audit");
        USED.add(schema);
    }

    public static PGSimpleDataSource dataSource(PostgresServer server) {
        return dataSource(server, "postgres");
    }

    static PGSimpleDataSource dataSource(PostgresServer server, String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server.jdbcUrl(database));
        return source;
    }

    private static final class Shared {
        static final PostgresServer SERVER = PostgresServer.start(Map.of("max_connections", "200"));
    }
}
