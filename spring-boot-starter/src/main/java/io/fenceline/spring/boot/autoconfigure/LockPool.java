package io.fenceline.spring.boot.autoconfigure;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.fenceline.spring.boot.FencelineProperties;
import java.lang.System.Logger.Level;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.util.ClassUtils;

/**
 * The connections of the locks, with the application's address, credentials and driver settings. A pool of their own: a renewal that
 * waited behind the application's statements could come too late.
 *
 * @param source gives the connections
 * @param owned whether it is closed with the locks
 */
record LockPool(DataSource source, boolean owned) {

    private static final System.Logger LOG = System.getLogger("io.fenceline.spring");

    /** Returns the pool that the properties ask for, or the application's if none can be derived from it. */
    static LockPool of(DataSource application, FencelineProperties.Pool properties) {
        if (properties.size() == 0) {
            return new LockPool(application, false);
        }
        if (!ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", LockPool.class.getClassLoader())
                || !ClassUtils.isPresent(
                        "org.springframework.boot.jdbc.DataSourceBuilder", LockPool.class.getClassLoader())) {
            return shared(application, "HikariCP or spring-boot-jdbc is not there");
        }
        try {
            return new LockPool(Derived.pool(application, properties), true);
        } catch (RuntimeException e) {
            return shared(application, e.toString());
        }
    }

    private static LockPool shared(DataSource application, String why) {
        LOG.log(
                Level.WARNING,
                "the locks use the application''s connections, so a lease can be lost while all of them are busy: no pool of"
                        + " their own can be derived ({0}). Mark a DataSource with @FencelineDataSource, or confirm with"
                        + " fenceline.jdbc.pool.size=0",
                why);
        return new LockPool(application, false);
    }

    /** Closes the pool if it is not the application's. */
    void close() {
        if (owned) {
            Derived.close(source);
        }
    }

    /** The part that needs HikariCP. */
    private static final class Derived {

        private static final long CLOSE_MILLIS = 2_000;

        private static DataSource pool(DataSource application, FencelineProperties.Pool properties) {
            HikariConfig config = new HikariConfig();
            HikariDataSource pool =
                    DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class, HikariDataSource.class);
            if (pool == null) {
                try (HikariDataSource derived = DataSourceBuilder.derivedFrom(application)
                        .type(HikariDataSource.class)
                        .build()) {
                    derived.copyStateTo(config);
                }
            } else if (pool.getClass() == HikariDataSource.class) {
                pool.copyStateTo(config);
            } else { // one that renews its password, for instance
                throw new IllegalArgumentException(
                        pool.getClass().getName() + " may have settings that cannot be copied");
            }
            config.setPoolName("fenceline-locks");
            config.setMaximumPoolSize(properties.size());
            config.setMinimumIdle(properties.size());
            long wait = properties.connectionTimeout().toMillis();
            config.setConnectionTimeout(Math.max(wait, config.getConnectionTimeout())); // limits the login too
            if (String.valueOf(config.getJdbcUrl())
                    .startsWith("jdbc:postgresql:")) { // its driver does not heed HikariCP's limit
                long seconds = Math.max(1, config.getConnectionTimeout() / 1000);
                config.getDataSourceProperties().putIfAbsent("loginTimeout", String.valueOf(seconds));
            }
            config.setValidationTimeout(wait);
            config.setAutoCommit(true);
            config.setReadOnly(false);
            config.setLeakDetectionThreshold(0); // the connection that listens for releases is kept
            config.setTransactionIsolation(null);
            HikariDataSource locks = connectedOnce(config);
            locks.setConnectionTimeout(wait);
            return locks;
        }

        /** Opens the pool, which tries to connect once. If it cannot, the backend says why. */
        private static HikariDataSource connectedOnce(HikariConfig config) {
            try {
                config.setInitializationFailTimeout(0);
                return new HikariDataSource(config);
            } catch (PoolInitializationException e) { // the connection broke at once
                config.setInitializationFailTimeout(-1);
                return new HikariDataSource(config);
            }
        }

        /** HikariCP waits for logins to a silent database, for as long as one may take: that goes on in the background. */
        private static void close(DataSource source) {
            Thread closing = new Thread(((HikariDataSource) source)::close, "fenceline-closes-its-pool");
            closing.setDaemon(true);
            closing.start();
            try {
                closing.join(CLOSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
