package io.fenceline.jdbc.trigger;

import java.sql.Connection;
import java.sql.SQLException;

/** Writes under a stamp, without a result. */
@FunctionalInterface
public interface StampedTask {

    /**
     * Makes the writes.
     *
     * @param connection in the transaction; the task neither ends it nor closes the connection
     * @throws SQLException if the database refuses
     */
    void run(Connection connection) throws SQLException;
}
