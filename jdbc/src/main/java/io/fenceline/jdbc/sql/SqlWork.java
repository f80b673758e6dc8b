package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** One statement, and what is made of its answer. */
@FunctionalInterface
public interface SqlWork<T> {

    /** Runs the statement. */
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
