package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import java.sql.SQLException;

/** A transaction in which a fence was taken, and that is to be committed as the same. */
@FunctionalInterface
public interface Unbroken {

    /**
     * Makes sure that what is committed next is all of the transaction, from the fence on.
     *
     * @throws SQLException if a statement of the transaction failed, so that it can only be rolled back
     * @throws BackendException if the transaction was ended and what runs now is another, without the fence
     */
    void ensure() throws SQLException;
}
