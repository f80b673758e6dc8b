package io.fenceline.jdbc.product;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Opens connections; from a HikariCP pool within a limit for each request, and within the pool's as it is at the moment. */
@FunctionalInterface
public interface ConnectionSource {

    /**
     * Opens a connection.
     *
     * @param millis how long it may take; ignored by data sources that have no limit for a single request
     */
    Connection open(int millis) throws SQLException;

    /** Returns the connections of a data source. */
    static ConnectionSource of(DataSource source) {
        try {
            if (source instanceof HikariDataSource pool) {
                return pool.getDataSource() instanceof PromptDriver driver
                        ? new QueuedPool(pool, driver)
                        : millis -> limited(pool, millis);
            }
        } catch (NoClassDefFoundError withoutHikari) {
            // it is another data source
        }
        return millis -> source.getConnection();
    }

    /** Returns whether a data source is a pool of one connection, which cannot be kept to listen. */
    static boolean isOfOneConnection(DataSource source) {
        try {
            return source instanceof HikariDataSource pool && pool.getMaximumPoolSize() == 1;
        } catch (NoClassDefFoundError withoutHikari) {
            return false;
        }
    }

    /** Opens a connection of a HikariCP pool. One that was never used or is closed has no bean. */
    static Connection limited(HikariDataSource source, long millis) throws SQLException {
        return !source.isClosed() && source.getHikariPoolMXBean() instanceof HikariPool pool
                ? pool.getConnection(Math.min(millis, source.getConnectionTimeout()))
                : source.getConnection();
    }
}
