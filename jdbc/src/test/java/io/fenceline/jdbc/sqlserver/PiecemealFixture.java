package io.fenceline.jdbc.sqlserver;

import com.zaxxer.hikari.HikariDataSource;
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
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A database of H2 in its SQL Server mode. */
final class PiecemealFixture implements BackendFixture {

    private final String url =
            "jdbc:h2:mem:" + UUID.randomUUID() + ";MODE=MSSQLServer;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";
    private final Lock turn = new ReentrantLock();
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

    @Override
    public LockBackend open() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMinimumIdle(1);
        pool.setMaximumPoolSize(12);
        pools.add(pool);
        LockBackend backend = JdbcLockBackend.on(PiecemealDataSource.over(pool, turn), JdbcOptions.defaults());
        backend.ability(SchemaControl.class).orElseThrow().installSchema();
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
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
