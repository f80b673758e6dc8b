package io.fenceline.jdbc.product;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.fenceline.jdbc.sql.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;

/**
 * The pool of a store that is opened by its URI. It opens a connection when one is wanted and none is idle, so that a program with one thread has
 * one, and fails quickly if there is none.
 */
public final class UriPool {

    /** Each call has a connection for one round trip. With 10, sixteen threads lost a third of their throughput. */
    private static final int CONNECTIONS = 16;

    /** A burst of calls leaves its connections for the next one this long, and the server then has them for others. */
    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(2);

    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(5);

    /** Comes on top of an attempt's own limit if the server is silent; HikariCP goes no lower. */
    private static final Duration VALIDATION_TIMEOUT = Duration.ofSeconds(1);

    private UriPool() {}

    /**
     * Opens a database that is there. Connects now, and says at once why it cannot.
     *
     * @param properties the driver's properties, user and password among them
     * @param signals gives the connection for signals; empty if there are none
     * @throws io.fenceline.BackendException if it cannot be reached
     */
    public static OpenedDatabase open(
            String jdbcUrl,
            Properties properties,
            SqlErrors errors,
            Optional<ListenConnectionSource> signals,
            TableLayout layout) {
        HikariConfig config = config(jdbcUrl, properties);
        config.setMinimumIdle(0);
        config.setIdleTimeout(IDLE_TIMEOUT.toMillis());
        try {
            HikariDataSource pool = connected(config, errors);
            return new OpenedDatabase(pool, signals, layout, pool::close);
        } catch (SQLException e) {
            throw errors.unreachable(e);
        }
    }

    /**
     * Returns the settings of a pool that connects when it is made.
     *
     * @return settings that may be changed
     */
    public static HikariConfig config(String jdbcUrl, Properties properties) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("fenceline");
        config.setJdbcUrl(jdbcUrl);
        config.setDataSourceProperties(properties);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        config.setValidationTimeout(VALIDATION_TIMEOUT.toMillis());
        config.setInitializationFailTimeout(1);
        return config;
    }

    /**
     * Makes a pool that connects again soon after trouble that passes.
     *
     * @throws SQLException what the driver said if it cannot connect
     * @throws IllegalArgumentException if the driver takes no such address, or lacks a library for it
     */
    public static HikariDataSource connected(HikariConfig config, SqlErrors errors) throws SQLException {
        try {
            PromptDriver driver =
                    new PromptDriver(config, e -> errors.unreachable(e).code().isTransient());
            config.setDataSource(driver);
            HikariDataSource pool = new HikariDataSource(config);
            driver.serves(pool);
            return pool;
        } catch (PoolInitializationException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            throw refused(e.getCause() == null ? e : e.getCause());
        } catch (RuntimeException e) {
            throw refused(e);
        }
    }

    /** Opens a connection of a pool that was made here, or tells why there is none. */
    public static Connection connection(HikariDataSource pool) throws SQLException {
        return ConnectionSource.of(pool).open(Integer.MAX_VALUE);
    }

    private static IllegalArgumentException refused(Throwable why) {
        return new IllegalArgumentException("the driver cannot use the address in the URI: " + why, why);
    }
}
