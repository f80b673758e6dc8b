package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.dialect.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Detects, by the transaction's id, that a guarded transaction was ended before its commit, and makes the error that says so. */
final class BrokenTransaction {

    private BrokenTransaction() {}

    /** Asks for the id now and before the commit; another id or none means another transaction. */
    static Unbroken watch(String product, Connection connection, Sql number) throws SQLException {
        Optional<String> began = number.one(connection, row -> String.valueOf(row.getString(1)));
        return () -> {
            if (!number.one(connection, row -> String.valueOf(row.getString(1))).equals(began)) {
                throw error(product, connection, null);
            }
        };
    }

    static BackendException error(String product, Connection connection, @Nullable SQLException cause)
            throws SQLException {
        return new BackendException(
                ErrorCode.INTERNAL,
                Effect.UNKNOWN,
                product
                        + ": the guarded transaction was ended in the middle, and what followed was not under the fence and is "
                        + (connection.getAutoCommit()
                                ? "committed too, since the body turned auto-commit on"
                                : "undone; either the body committed or rolled back, or made or changed a table, which commits what"
                                        + " was before, or it did not pass the error of a conflict on, which undoes what was"
                                        + " before"),
                cause);
    }
}
