package io.fenceline.jdbc.dialect;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Makes a value of a result's current row.
 *
 * @param <T> the value
 */
@FunctionalInterface
public interface RowReader<T> {

    /**
     * Reads the row.
     *
     * @param row the result, standing at the row
     * @return the value
     * @throws SQLException if the row is not as expected
     */
    T read(ResultSet row) throws SQLException;
}
