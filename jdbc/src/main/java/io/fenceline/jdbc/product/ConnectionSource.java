package io.fenceline.jdbc.product;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
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

    /** Closes a connection that was opened here. */
    default void close(Connection connection) throws SQLException {
        connection.close();
    }

    /** Returns the connections of a data source. */
    static ConnectionSource of(DataSource source) {
        try {
            return source instanceof HikariDataSource pool ? new LimitedPool(pool) : millis -> source.getConnection();
        } catch (NoClassDefFoundError withoutHikari) {
            return millis -> source.getConnection();
        }
    }
}
