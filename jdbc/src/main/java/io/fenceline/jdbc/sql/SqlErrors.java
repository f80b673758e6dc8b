package io.fenceline.jdbc.sql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import java.sql.SQLException;

/** Tells what a driver's errors mean: what happened, whether anything was changed, and what to do about it. */
public interface SqlErrors {

    /** Tells why there is no connection. Nothing was changed. */
    BackendException unreachable(SQLException e);

    /**
     * Tells why a statement failed.
     *
     * @param unclear the effect if the database did not say that it refused the statement: {@link Effect#NONE} for one that
     *     only reads
     */
    BackendException failed(SQLException e, Effect unclear);

    /**
     * Tells whether the database refused what a transaction wrote, by a constraint or a trigger of the application's tables. At a
     * commit that is one that is deferred until then.
     */
    default boolean isViolation(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("23");
    }
}
