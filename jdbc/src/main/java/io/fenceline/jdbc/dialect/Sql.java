package io.fenceline.jdbc.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A statement that returns rows. Drivers keep it prepared on each connection, so it is not kept here.
 *
 * @param text the statement, with question marks for its values
 */
public record Sql(String text) {

    /**
     * Runs it and reads the first row.
     *
     * @param connection where
     * @param reader makes a value of the row
     * @param values for the question marks
     * @param <T> the value
     * @return the value, or empty if there is no row
     * @throws SQLException if the database refuses or does not answer
     */
    public <T> Optional<T> one(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text);
                ResultSet result = execute(statement, values)) {
            return result.next() ? Optional.of(reader.read(result)) : Optional.empty();
        }
    }

    /**
     * Runs it and reads all rows.
     *
     * @param connection where
     * @param reader makes a value of each row
     * @param values for the question marks
     * @param <T> the value
     * @return the values in the order of the rows
     * @throws SQLException if the database refuses or does not answer
     */
    public <T> List<T> all(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text);
                ResultSet result = execute(statement, values)) {
            List<T> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(reader.read(result));
            }
            return rows;
        }
    }

    private static ResultSet execute(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement.executeQuery();
    }
}
