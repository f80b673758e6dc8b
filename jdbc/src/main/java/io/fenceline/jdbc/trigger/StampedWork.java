package io.fenceline.jdbc.trigger;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Writes that are made under a stamp.
 *
 * @param <T> their result
 */
@FunctionalInterface
public interface StampedWork<T> {

    /**
     * Makes the writes.
     *
     * @param connection in the transaction; the work neither ends it nor closes the connection
     * @return the result
     * @throws SQLException if the database refuses
     */
    T on(Connection connection) throws SQLException;
}
