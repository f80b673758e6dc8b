package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.guard.FenceRule;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * All that guards need to know of a database product. Stateless.
 *
 * <p>Statements have {@code fenceline_fences} where the table of fences is meant, and {@code ?1}, {@code ?2} where values
 * belong; a value may occur again.
 */
public interface FenceDialect {

    /**
     * Returns PostgreSQL, from version 13 on, through its own driver.
     *
     * @return the dialect
     */
    static FenceDialect postgresql() {
        return PostgresFences.DIALECT;
    }

    /**
     * Returns SQLite, from version 3.35 on, through the Xerial driver.
     *
     * @return the dialect
     */
    static FenceDialect sqlite() {
        return SqliteFences.DIALECT;
    }

    /**
     * Returns the product of a connection, by what its driver says. Asks no server.
     *
     * @param connection any connection
     * @return the dialect
     * @throws SQLException if the connection is of no use
     * @throws IllegalArgumentException if the product is not known
     */
    static FenceDialect of(Connection connection) throws SQLException {
        List<FenceDialect> known = List.of(postgresql(), sqlite());
        String product = connection.getMetaData().getDatabaseProductName();
        return known.stream()
                .filter(dialect -> dialect.product().equals(product))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no fences on '" + product + "'; known are "
                        + known.stream().map(FenceDialect::product).collect(Collectors.joining(", "))
                        + "; if it is one of them under another name, say so with GuardOptions.withDialect"));
    }

    /**
     * Returns the product.
     *
     * @return the name that its driver tells
     */
    String product();

    /**
     * Returns the statement of a write: makes or raises a resource's row if the stamp is admitted, and keeps the row locked
     * until the transaction ends. Admitted or not is decided on the latest committed row, which nobody can change meanwhile;
     * where the isolation level forbids that, it fails.
     *
     * @param rule how often a grant may write
     * @return a statement with the values resource, lock key and token, which changes one row or none
     */
    String write(FenceRule rule);

    /**
     * Returns the statement of a claim, as {@link #write}, but without counting as a write.
     *
     * @return a statement with the values resource, lock key and token, which changes one row or none
     */
    String claim();

    /**
     * Returns the statement that takes the next number of a clock. The table is {@code fenceline_fences_clock}.
     *
     * @return a query with the values name and greatest number, which returns the number, or no row if it would be above
     */
    String nextNumber();

    /**
     * Returns the statement that raises a clock, and lowers none.
     *
     * @return a statement with the values name and number
     */
    String raiseClock();

    /**
     * Quotes the name of a table or column.
     *
     * @param identifier any text
     * @return the name as part of a statement
     * @throws IllegalArgumentException if it cannot be a name
     */
    String quoted(String identifier);

    /**
     * Reads a script that makes tables if they are missing. It begins and ends no transaction.
     *
     * @param part {@code fences}, {@code stream} or {@code clock}
     * @return statements in the product's own language
     */
    String script(String part);

    /**
     * Takes turns with others who make tables, to the end of the transaction.
     *
     * @param connection in a transaction
     * @throws SQLException if the database refuses or does not answer
     */
    void aloneWithSchema(Connection connection) throws SQLException;

    /**
     * Compares what is there with what a script makes.
     *
     * @param connection where
     * @param script what should be there
     * @return a line for each thing that is missing or different
     * @throws SQLException if the database refuses or does not answer
     */
    List<String> problems(Connection connection, String script) throws SQLException;

    /**
     * Tells whether what runs on a connection next would be part of a transaction that somebody else began. Does not ask the
     * database.
     *
     * @param connection a connection as the data source gave it
     * @return true also if it cannot be told
     * @throws SQLException if the connection is of no use
     */
    boolean isInTransaction(Connection connection) throws SQLException;

    /**
     * Makes sure that a commit would commit. Some databases answer the commit of a failed transaction with a rollback that
     * their drivers take for a success.
     *
     * @param connection in a transaction
     * @throws SQLException if a statement of the transaction failed, so that it can only be rolled back
     */
    void ensureCommittable(Connection connection) throws SQLException;

    /**
     * Tells whether the database gave a transaction up because of others, so that repeating it may succeed.
     *
     * @param e what the driver said
     * @return whether it is a conflict: nothing of the transaction was done
     */
    boolean isConflict(SQLException e);

    /**
     * Tells why a statement failed.
     *
     * @param e what the driver said
     * @param unclear the effect if the database did not say that it refused the statement
     * @return the error for the caller
     */
    BackendException failed(SQLException e, Effect unclear);

    /**
     * Tells why there is no connection. Nothing was changed.
     *
     * @param e what the data source said
     * @return the error for the caller
     */
    BackendException unreachable(SQLException e);
}
