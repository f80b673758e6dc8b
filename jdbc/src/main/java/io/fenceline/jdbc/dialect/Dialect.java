package io.fenceline.jdbc.dialect;

import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.SQLException;

/** All that a database product has of its own. Stateless. */
public interface Dialect {

    /**
     * Returns the product.
     *
     * @return the name that its driver tells
     */
    String product();

    /**
     * Returns what knows its errors.
     *
     * @return the meanings of its errors
     */
    SqlErrors errors();

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
     * Returns the statements of locking.
     *
     * @param store where the locks are
     * @return the statements
     */
    LockStatements locks(LockStore store);

    /**
     * Returns what makes and checks the tables.
     *
     * @param store where the locks are
     * @return the schema
     */
    SchemaControl schema(LockStore store);
}
