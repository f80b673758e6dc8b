package io.fenceline.jdbc.trigger;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Writes under a stamp, with a result.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface StampedCall<T> {

    /**
     * Makes the writes.
     *
     * @param connection in the transaction; the work neither ends it nor closes the connection
     * @return the result
     * @throws SQLException if the database refuses
     */
    T call(Connection connection) throws SQLException;
}
