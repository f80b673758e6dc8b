package io.fenceline.jdbc.outbox;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.servers.PostgresServer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A schema of its own on a server that all tests of this package share. */
final class PostgresOutboxFixture implements OutboxFixture {

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final String schema = "outbox" + SCHEMAS.incrementAndGet();

    private final HikariDataSource pool = new HikariDataSource();

    PostgresOutboxFixture() {
        Shared.SERVER.execute("postgres", "CREATE SCHEMA " + schema);
        pool.setDataSource(unpooled());
        pool.setMinimumIdle(0);
    }

    String schema() {
        return schema;
    }

    @Override
    public DataSource source() {
        return pool;
    }

    PGSimpleDataSource unpooled() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(Shared.SERVER.jdbcUrl("postgres"));
        source.setCurrentSchema(schema);
        return source;
    }

    @Override
    public void close() {
        pool.close();
        Shared.SERVER.execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }

    private static final class Shared {
        static final PostgresServer SERVER = PostgresServer.start(Map.of("fsync", "off"));
    }
}
