package io.fenceline.jdbc.product;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks before the commit that the transaction in which a fence was taken was not ended by then. */
@FunctionalInterface
public interface TransactionCheck {

    /**
     * Makes sure that what is committed next is all of the transaction, from the fence on.
     *
     * @throws SQLException if a statement of the transaction failed, so that it can only be rolled back
     * @throws BackendException if the transaction was ended and what runs now is another, without the fence
     */
    void ensure() throws SQLException;

    /** Asks for the transaction's id now and before the commit; another id, or none, means another transaction. */
    static TransactionCheck byId(String product, Connection connection, Sql id) throws SQLException {
        Optional<String> began = id.one(connection, row -> String.valueOf(row.getString(1)));
        return () -> {
            if (!id.one(connection, row -> String.valueOf(row.getString(1))).equals(began)) {
                throw ended(product, connection, null);
            }
        };
    }

    /** Makes the error of a transaction that was ended in the middle. */
    static BackendException ended(String product, Connection connection, @Nullable SQLException cause)
            throws SQLException {
        String rest = connection.getAutoCommit()
                ? "committed too, since the body turned auto-commit on"
                : "undone; either the body committed or rolled back, or made or changed a table, which commits what was"
                        + " before, or it did not pass the error of a conflict on, which undoes what was before";
        return new BackendException(
                ErrorCode.INTERNAL,
                Effect.UNKNOWN,
                product
                        + ": the guarded transaction was ended in the middle, and what followed was not under the fence and is "
                        + rest,
                cause);
    }
}
