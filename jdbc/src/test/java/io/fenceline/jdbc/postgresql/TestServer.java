package io.fenceline.jdbc.postgresql;

import io.fenceline.servers.PostgresServer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;

/** One server for all tests of a JVM that leave it running. */
final class TestServer {

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private TestServer() {}

    static PostgresServer shared() {
        return Shared.SERVER;
    }

    /** Makes a schema; a table of it is nobody else's. */
    static String newSchema(PostgresServer server) {
        String name = "s" + SCHEMAS.incrementAndGet();
        server.execute("postgres", "CREATE SCHEMA " + name);
        return name;
    }

    static PGSimpleDataSource dataSource(PostgresServer server) {
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
