package io.fenceline.jdbc.product;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;

/** Opens connections; from a HikariCP pool within a limit for each request. */
@FunctionalInterface
interface ConnectionSource {

    /**
     * Opens a connection.
     *
     * @param millis how long it may take; ignored by data sources that have no limit for a single request
     */
    Connection open(int millis) throws SQLException;

    /** Returns the connections of a data source. */
    static ConnectionSource of(DataSource source) {
        try {
            return source instanceof HikariDataSource pool
                    ? millis -> limited(pool, millis)
                    : millis -> source.getConnection();
        } catch (NoClassDefFoundError withoutHikari) {
            return millis -> source.getConnection();
        }
    }

    /** A pool that was never used or is closed has no bean. */
    private static Connection limited(HikariDataSource source, int millis) throws SQLException {
        try {
            return !source.isClosed() && source.getHikariPoolMXBean() instanceof HikariPool pool
                    ? pool.getConnection(Math.min(millis, source.getConnectionTimeout()))
                    : source.getConnection();
        } catch (SQLTransientConnectionException e) {
            throw source.getDataSource() instanceof PromptDriver driver ? driver.explained(e) : e;
        }
    }
}
