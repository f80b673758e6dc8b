package io.fenceline.jdbc.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Makes a value of a result's current row. */
@FunctionalInterface
public interface RowReader<T> {

    /** Reads the row. */
    T read(ResultSet row) throws SQLException;

    /**
     * Returns a reader that logs and skips rows with invalid values.
     *
     * @return a reader whose answer is empty for other rows
     */
    static <T> RowReader<Optional<T>> readable(RowReader<T> reader) {
        return row -> {
            try {
                return Optional.of(reader.read(row));
            } catch (IllegalArgumentException e) {
                return leftOut(e);
            } catch (SQLException e) {
                if (e.getCause() instanceof IllegalArgumentException) {
                    return leftOut(e);
                }
                throw e;
            }
        };
    }

    private static <T> Optional<T> leftOut(Exception e) {
        System.getLogger(RowReader.class.getName())
                .log(System.Logger.Level.WARNING, () -> "a row is left out of a list: " + e.getMessage());
        return Optional.empty();
    }
}
