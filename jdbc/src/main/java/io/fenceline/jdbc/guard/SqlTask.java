package io.fenceline.jdbc.guard;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Work without a result in a transaction that a guard began.
 *
 * @param <X> what it throws beside database errors
 */
@FunctionalInterface
public interface SqlTask<X extends Exception> {

    /**
     * Does the work. May run again, in a new transaction, if the database gave the first one up after a conflict; so it should
     * do nothing outside the database.
     *
     * @param connection in the transaction, which the guard ends: committing, rolling back, closing and auto-commit are refused
     * @throws SQLException if the database refuses or does not answer; everything is rolled back
     * @throws X whatever the work throws; everything is rolled back
     */
    void run(Connection connection) throws SQLException, X;
}
