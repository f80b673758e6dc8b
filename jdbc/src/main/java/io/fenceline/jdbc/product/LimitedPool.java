package io.fenceline.jdbc.product;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import io.fenceline.time.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.Semaphore;

/**
 * A HikariCP pool with a limit for each request. Callers wait for a connection here, and one at a time in the pool, until it has made
 * another connection: on Java 17, threads whose waits end while others wait in the pool's {@code SynchronousQueue} can spin there for
 * seconds.
 */
final class LimitedPool implements ConnectionSource {

    /** What HikariCP makes of a size that was not set, once it is used. */
    private static final int DEFAULT_SIZE = 10;

    private final HikariDataSource source;
    private final Semaphore connections;
    private final Semaphore growth = new Semaphore(1, true);
    private final Ticker ticker = Ticker.system();

    LimitedPool(HikariDataSource source) {
        this.source = source;
        int size = source.getMaximumPoolSize();
        this.connections = new Semaphore(size > 0 ? size : DEFAULT_SIZE, true);
    }

    @Override
    public Connection open(int millis) throws SQLException {
        long limit = Math.min(millis, source.getConnectionTimeout());
        long end = ticker.nanos() + MILLISECONDS.toNanos(limit);
        boolean opened = false;
        await(connections, end, limit);
        try {
            Connection connection = connect(end, limit);
            opened = true;
            return connection;
        } finally {
            if (!opened) {
                connections.release();
            }
        }
    }

    @Override
    public void close(Connection connection) throws SQLException {
        try {
            connection.close();
        } finally {
            connections.release();
        }
    }

    private Connection connect(long end, long limit) throws SQLException {
        // A pool that was never used or is closed has no bean.
        if (source.isClosed() || !(source.getHikariPoolMXBean() instanceof HikariPool pool)) {
            return source.getConnection();
        }
        if (pool.getIdleConnections() > 0) {
            return connect(pool, end);
        }
        await(growth, end, limit);
        try {
            return connect(pool, end);
        } finally {
            growth.release();
        }
    }

    private Connection connect(HikariPool pool, long end) throws SQLException {
        try {
            return pool.getConnection(Math.max(1, NANOSECONDS.toMillis(end - ticker.nanos())));
        } catch (SQLTransientConnectionException e) {
            throw explained(e);
        }
    }

    private void await(Semaphore permits, long end, long limit) throws SQLException {
        if (!Uninterrupted.run(() -> permits.tryAcquire(end - ticker.nanos(), NANOSECONDS))) {
            throw explained(new SQLTransientConnectionException(source.getPoolName() + " - no connection was free for "
                    + limit + " ms, and other threads wait too"));
        }
    }

    private SQLException explained(SQLTransientConnectionException e) {
        return source.getDataSource() instanceof PromptDriver driver ? driver.explained(e) : e;
    }
}
