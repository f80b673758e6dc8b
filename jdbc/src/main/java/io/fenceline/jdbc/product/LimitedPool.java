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
 * A HikariCP pool with a limit for each request. When no connection is idle, one caller waits in the pool and the others before it: on
 * Java 17, threads whose waits end while others wait in the pool's {@code SynchronousQueue} can spin there for seconds.
 */
final class LimitedPool implements ConnectionSource {

    private final HikariDataSource source;
    private final Semaphore turn = new Semaphore(1, true);
    private final Ticker ticker = Ticker.system();

    LimitedPool(HikariDataSource source) {
        this.source = source;
    }

    @Override
    public Connection open(int millis) throws SQLException {
        // A pool that was never used or is closed has no bean.
        if (source.isClosed() || !(source.getHikariPoolMXBean() instanceof HikariPool pool)) {
            return source.getConnection();
        }
        long limit = Math.min(millis, source.getConnectionTimeout());
        try {
            return pool.getIdleConnections() > 0 ? pool.getConnection(limit) : inTurn(pool, limit);
        } catch (SQLTransientConnectionException e) {
            throw source.getDataSource() instanceof PromptDriver driver ? driver.explained(e) : e;
        }
    }

    private Connection inTurn(HikariPool pool, long limit) throws SQLException {
        long end = ticker.nanos() + MILLISECONDS.toNanos(limit);
        if (!Uninterrupted.run(() -> turn.tryAcquire(end - ticker.nanos(), NANOSECONDS))) {
            throw new SQLTransientConnectionException(source.getPoolName() + " - no connection was free for " + limit
                    + " ms, and other threads wait too");
        }
        try {
            return pool.getConnection(Math.max(1, NANOSECONDS.toMillis(end - ticker.nanos())));
        } finally {
            turn.release();
        }
    }
}
