package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A statement. Drivers keep it prepared on each connection, so it is not kept here. */
public final class Sql {

    private static final Pattern NUMBERED = Pattern.compile("\\?([1-9][0-9]?)");

    /** For databases whose driver, and no statement, tells what has become of a row. */
    private static final Pattern CHANGED = Pattern.compile("\\s+GENERATED KEYS \\(([\\w, ]+)\\)$");

    private final String text;
    private final String[] changed;
    private final int[] order;

    /**
     * Creates the statement.
     *
     * @param numbered the statement, with {@code ?1} where the first value belongs, and so on; a value may occur again. {@code GENERATED
     *     KEYS (column, …)} at the end of a change makes it return these columns of the row as it is then
     */
    public Sql(String numbered) {
        Matcher keys = CHANGED.matcher(numbered);
        this.changed = keys.find() ? keys.group(1).split(", ") : new String[0];
        Matcher marks = NUMBERED.matcher(keys.replaceFirst(""));
        this.order = marks.results()
                .mapToInt(mark -> Integer.parseInt(mark.group(1)) - 1)
                .toArray();
        this.text = marks.replaceAll("?");
    }

    /**
     * Runs it and reads the first row, if it returns rows at all.
     *
     * @return the value, or empty if there is no row
     */
    public <T> Optional<T> one(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection);
                ResultSet result = execute(statement, values)) {
            if (result == null || !result.next()) {
                return Optional.empty();
            }
            Optional<T> value = Optional.of(reader.read(result));
            // In auto-commit SQLite commits a change after its last row, and its driver hides a failure of that in
            // close().
            result.next();
            return value;
        }
    }

    /** Runs it and reads all rows. */
    public <T> List<T> all(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        return until(connection, reader, row -> false, values);
    }

    /**
     * Runs it and reads rows until one is the last that is wanted.
     *
     * @param last tells whether a value is the last, asked for each in their order
     */
    public <T> List<T> until(Connection connection, RowReader<T> reader, Predicate<? super T> last, Object... values)
            throws SQLException {
        try (PreparedStatement statement = prepared(connection);
                ResultSet result = execute(statement, values)) {
            List<T> rows = new ArrayList<>();
            while (result != null && result.next()) {
                T row = reader.read(result);
                rows.add(row);
                if (last.test(row)) {
                    break;
                }
            }
            return rows;
        }
    }

    /**
     * Runs it and reads all rows. Those with invalid values, which were changed by hand or written by a newer Java, are logged and
     * skipped.
     */
    public <T> List<T> readable(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        return all(connection, RowReader.readable(reader), values).stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns it as the driver gets it, to be part of a longer text. */
    public String text() {
        return text;
    }

    /** Returns values as often as they occur, and in that order. */
    public List<Object> inOrder(Object... values) {
        return Arrays.stream(order).mapToObj(index -> values[index]).toList();
    }

    /** Runs it where it returns no rows. */
    public int run(Connection connection, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            set(statement, values);
            return statement.executeUpdate();
        }
    }

    private PreparedStatement prepared(Connection connection) throws SQLException {
        return changed.length == 0 ? connection.prepareStatement(text) : connection.prepareStatement(text, changed);
    }

    /** Runs it. Returns null if there is nothing to read; not every driver has an empty result for that. */
    private @Nullable ResultSet execute(PreparedStatement statement, Object... values) throws SQLException {
        set(statement, values);
        if (statement.execute()) {
            return statement.getResultSet();
        }
        return changed.length > 0 && statement.getUpdateCount() > 0 ? statement.getGeneratedKeys() : null;
    }

    void set(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < order.length; i++) {
            statement.setObject(i + 1, values[order[i]]);
        }
    }
}
