package io.fenceline.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A database of the user's own, named by a JDBC URL. The tables are named {@code fenceline_contract} and stay there. */
public final class GivenServerFixture implements BackendFixture {

    private static final String TABLE = "fenceline_contract";

    private final String url;
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

    /** Returns a fixture on the database whose JDBC URL, with user and password, is in an environment variable. */
    public static GivenServerFixture namedBy(String variable) {
        return new GivenServerFixture(System.getenv(variable));
    }

    private GivenServerFixture(String url) {
        this.url = url;
    }

    @Override
    public LockBackend open() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMinimumIdle(0);
        pool.setMaximumPoolSize(12);
        pools.add(pool);
        LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(TABLE));
        backend.ability(SchemaControl.class).orElseThrow().installSchema();
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
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
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM " + TABLE);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
