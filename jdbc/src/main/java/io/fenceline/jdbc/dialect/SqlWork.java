package io.fenceline.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * One statement, and what is made of its answer.
 *
 * @param <T> the answer
 */
@FunctionalInterface
public interface SqlWork<T> {

    /**
     * Runs the statement.
     *
     * @param connection a connection that commits by itself
     * @return the answer
     * @throws SQLException if the database refuses or does not answer
     */
    T on(Connection connection) throws SQLException;
}
