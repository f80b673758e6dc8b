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

    /**
     * Returns this work as one transaction, for work of several statements.
     *
     * @return work that commits when this one returns, and undoes it when this one throws
     */
    default SqlWork<T> inTransaction() {
        return connection -> {
            connection.setAutoCommit(false);
            try {
                T answer = on(connection);
                connection.commit();
                return answer;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        };
    }
}
