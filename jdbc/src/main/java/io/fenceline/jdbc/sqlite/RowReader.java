package io.fenceline.jdbc.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;

/** Makes a value of a result's current row. */
@FunctionalInterface
interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
}
