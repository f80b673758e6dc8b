package io.fenceline.jdbc.trigger;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.servers.PostgresServer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A schema of its own on a server that all tests share. */
final class PostgresPlace implements TriggerPlace {

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final String schema = "t" + SCHEMAS.incrementAndGet();
    private final @Nullable HikariDataSource pool;

    PostgresPlace() {
        this(false);
    }

    private PostgresPlace(boolean pooled) {
        server().execute("postgres", "CREATE SCHEMA " + schema);
        pool = pooled ? new HikariDataSource() : null;
        if (pool != null) {
            pool.setDataSource(unpooled());
            pool.setMinimumIdle(0);
        }
    }

    /** Connections come from a pool, as most applications' do. */
    static PostgresPlace pooled() {
        return new PostgresPlace(true);
    }

    static PostgresServer server() {
        return Shared.SERVER;
    }

    String schema() {
        return schema;
    }

    @Override
    public DataSource source() {
        return pool == null ? unpooled() : pool;
    }

    PGSimpleDataSource unpooled() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server().jdbcUrl("postgres"));
        source.setCurrentSchema(schema);
        return source;
    }

    @Override
    public String fences() {
        return schema + ".fenceline_fences";
    }

    /** Restarting a server that others share is left to the guards' own tests; nothing is kept but in the server. */
    @Override
    public void restart() {}

    @Override
    public void close() {
        if (pool != null) {
            pool.close();
        }
        server().execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }

    private static final class Shared {
        static final PostgresServer SERVER = PostgresServer.start(Map.of("fsync", "off"));
    }
}
