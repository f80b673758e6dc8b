package io.fenceline.jdbc.product;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.fenceline.time.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.Semaphore;

/**
 * The connections of a {@link UriPool}, which nobody else uses. Callers wait for one here, and one at a time in the pool, until it has
 * made another connection: on Java 17, threads whose waits end while others wait in the pool's {@code SynchronousQueue} can spin there
 * for seconds.
 */
final class QueuedPool implements ConnectionSource {

    private final HikariDataSource pool;
    private final PromptDriver driver;
    private final Semaphore connections;
    private final Semaphore growth = new Semaphore(1, true);
    private final Ticker ticker = Ticker.system();

    QueuedPool(HikariDataSource pool, PromptDriver driver) {
        this.pool = pool;
        this.driver = driver;
        this.connections = new Semaphore(pool.getMaximumPoolSize(), true);
    }

    @Override
    public Connection open(int millis) throws SQLException {
        long limit = Math.min(millis, pool.getConnectionTimeout());
        long end = ticker.nanos() + MILLISECONDS.toNanos(limit);
        try {
            return open(end, limit);
        } catch (SQLTransientConnectionException e) {
            throw driver.explained(e);
        }
    }

    private Connection open(long end, long limit) throws SQLException {
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
        if (hasIdle()) {
            return ConnectionSource.limited(pool, left(end));
        }
        await(growth, end, limit);
        try {
            return ConnectionSource.limited(pool, left(end));
        } finally {
            growth.release();
        }
    }

    private boolean hasIdle() {
        HikariPoolMXBean bean = pool.getHikariPoolMXBean();
        return bean != null && bean.getIdleConnections() > 0;
    }

    private long left(long end) {
        return Math.max(1, NANOSECONDS.toMillis(end - ticker.nanos()));
    }

    private void await(Semaphore permits, long end, long limit) throws SQLException {
        if (!Uninterrupted.run(() -> permits.tryAcquire(end - ticker.nanos(), NANOSECONDS))) {
            throw new SQLTransientConnectionException(
                    pool.getPoolName() + " - no connection was free for " + limit + " ms, and other threads wait too");
        }
    }
}
