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
 * The connections of a {@link UriPool}. While it has none, as in an outage, one caller at a time waits in it and the others here: on
 * Java 17, threads whose waits end while others wait in the pool's {@code SynchronousQueue} can spin there for seconds.
 */
final class QueuedPool implements ConnectionSource {

    private final HikariDataSource pool;
    private final PromptDriver driver;
    private final Semaphore turn = new Semaphore(1, true);
    private final Ticker ticker = Ticker.system();

    QueuedPool(HikariDataSource pool, PromptDriver driver) {
        this.pool = pool;
        this.driver = driver;
    }

    @Override
    public Connection open(int millis) throws SQLException {
        try {
            return hasConnections() ? ConnectionSource.limited(pool, millis) : inTurn(millis);
        } catch (SQLTransientConnectionException e) {
            throw driver.explained(e);
        }
    }

    private boolean hasConnections() {
        HikariPoolMXBean bean = pool.getHikariPoolMXBean();
        return bean != null && bean.getTotalConnections() > 0;
    }

    private Connection inTurn(int millis) throws SQLException {
        long limit = Math.min(millis, pool.getConnectionTimeout());
        long end = ticker.nanos() + MILLISECONDS.toNanos(limit);
        if (!Uninterrupted.run(() -> turn.tryAcquire(end - ticker.nanos(), NANOSECONDS))) {
            // The figure tells it from a pool whose connections are in use.
            throw new SQLTransientConnectionException(
                    pool.getPoolName() + " - no connection was made for " + limit + " ms (active=0)");
        }
        try {
            return ConnectionSource.limited(pool, Math.max(1, NANOSECONDS.toMillis(end - ticker.nanos())));
        } finally {
            turn.release();
        }
    }
}
