package io.fenceline.jdbc.outbox;

import io.fenceline.servers.PostgresServer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A schema of its own on a server that all tests of this package share. */
final class PostgresOutboxFixture implements OutboxFixture {

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final String schema = "outbox" + SCHEMAS.incrementAndGet();

    PostgresOutboxFixture() {
        Shared.SERVER.execute("postgres", "CREATE SCHEMA " + schema);
    }

    String schema() {
        return schema;
    }

    @Override
    public DataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(Shared.SERVER.jdbcUrl("postgres"));
        source.setCurrentSchema(schema);
        return source;
    }

    @Override
    public void close() {
        Shared.SERVER.execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }

    private static final class Shared {
        static final PostgresServer SERVER = PostgresServer.start(Map.of());
    }
}
