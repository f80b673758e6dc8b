package io.fenceline.jdbc.h2;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A database of its own in this process. */
class H2Fixture implements BackendFixture {

    private final String url;
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

    private H2Fixture(String url) {
        this.url = url;
    }

    static H2Fixture inMemory() {
        return inMemory("");
    }

    static H2Fixture inMemory(String settings) {
        return new H2Fixture("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1" + settings);
    }

    @Override
    public LockBackend open() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMinimumIdle(1);
        pool.setMaximumPoolSize(12);
        pools.add(pool);
        LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
        backend.ability(SchemaControl.class).orElseThrow().installSchema();
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return List.of("fenceline_lock", "fenceline_lock_audit", lockId.text(), key.value() + "\u0001");
    }

    /** Calls take microseconds. */
    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(250);
    }

    @Override
    public void restart() {
        open.forEach(LockBackend::close);
        open.clear();
        pools.forEach(HikariDataSource::close);
        pools.clear();
    }

    @Override
    public void close() {
        restart();
        // Ends with its last connection from now on.
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("SET DB_CLOSE_DELAY 0");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
