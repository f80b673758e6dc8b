package io.fenceline.jdbc.product;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.fenceline.jdbc.sql.SqlErrors;
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

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

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
        HikariDataSource pool = new HikariDataSource();
        configure(pool, jdbcUrl, properties, errors);
        pool.setMinimumIdle(0);
        pool.setIdleTimeout(IDLE_TIMEOUT.toMillis());
        try {
            connect(pool);
            return new OpenedDatabase(pool, signals, layout, () -> close(pool));
        } catch (SQLException e) {
            throw errors.unreachable(e);
        }
    }

    /** A server that is silent is not waited for: MariaDB's driver connects anew for each connection in use, to have it ended. */
    private static void close(HikariDataSource pool) {
        Thread closing = new Thread(pool::close, "fenceline-close");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(CLOSE_TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Configures a pool that connects when it is first used, and again soon after trouble that passes.
     *
     * @throws IllegalArgumentException if the driver takes no such address
     */
    public static void configure(HikariDataSource pool, String jdbcUrl, Properties properties, SqlErrors errors) {
        pool.setPoolName("fenceline");
        pool.setJdbcUrl(jdbcUrl);
        pool.setDataSourceProperties(properties);
        pool.setMaximumPoolSize(CONNECTIONS);
        pool.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        pool.setValidationTimeout(VALIDATION_TIMEOUT.toMillis());
        pool.setInitializationFailTimeout(1);
        try {
            pool.setDataSource(
                    new PromptDriver(pool, e -> errors.unreachable(e).code().isTransient()));
        } catch (RuntimeException e) {
            throw refused(e);
        }
    }

    /**
     * Connects a pool that was configured here.
     *
     * @throws SQLException what the driver said if it cannot connect
     * @throws IllegalArgumentException if the driver takes no such address, or lacks a library for it
     */
    public static void connect(HikariDataSource pool) throws SQLException {
        try {
            pool.getConnection().close();
        } catch (PoolInitializationException e) {
            throw refused(e.getCause() == null ? e : e.getCause());
        } catch (RuntimeException e) {
            throw refused(e);
        }
    }

    private static IllegalArgumentException refused(Throwable why) {
        return new IllegalArgumentException("the driver cannot use the address in the URI: " + why, why);
    }
}
