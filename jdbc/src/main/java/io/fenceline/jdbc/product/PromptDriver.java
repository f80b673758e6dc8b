package io.fenceline.jdbc.product;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.util.DriverDataSource;
import io.fenceline.time.Delays;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.util.function.Predicate;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The driver behind a {@link UriPool}. HikariCP connects on one thread, which pauses after each failure, in the end for 5 s: after an
 * outage of 6 s leases were lost that a renewal could have saved. So this retries by itself while somebody waits for a connection,
 * and HikariCP learns of no failure meanwhile.
 */
final class PromptDriver implements DataSource {

    private static final long PAUSE_NANOS = 200_000_000;

    private final DriverDataSource driver;
    private final Predicate<SQLException> passes;

    private final HikariDataSource pool;

    /** Why the latest attempt failed; null after a success. */
    private volatile @Nullable SQLException failure;

    /** Creates the driver of a pool whose address and properties are set. */
    PromptDriver(HikariDataSource pool, Predicate<SQLException> passes) {
        this.driver = new DriverDataSource(
                pool.getJdbcUrl(),
                pool.getDriverClassName(),
                pool.getDataSourceProperties(),
                pool.getUsername(),
                pool.getPassword());
        this.pool = pool;
        this.passes = passes;
    }

    @Override
    public Connection getConnection() throws SQLException {
        while (true) {
            try {
                Connection connection = driver.getConnection();
                failure = null;
                return connection;
            } catch (SQLException e) {
                failure = e;
                if (!passes.test(e) || !isAwaited() || !paused()) {
                    throw e;
                }
            }
        }
    }

    /** A pool that connects for the first time has no bean, and fails at once. */
    private boolean isAwaited() {
        HikariPoolMXBean bean = pool.getHikariPoolMXBean();
        return bean != null && !pool.isClosed() && bean.getThreadsAwaitingConnection() > 0;
    }

    private static boolean paused() {
        try {
            Delays.system().park(PAUSE_NANOS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns an error of the pool with the reason why there are no connections. HikariCP tells it to one caller only. */
    SQLException explained(SQLTransientConnectionException e) {
        SQLException reason = failure;
        return e.getCause() != null || reason == null
                ? e
                : new SQLTransientConnectionException(e.getMessage(), reason.getSQLState(), reason);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return driver.getConnection(username, password);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return driver.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        driver.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        driver.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return driver.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return driver.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return driver.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return driver.isWrapperFor(type);
    }
}
