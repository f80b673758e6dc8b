package io.fenceline.jdbc.guard;

import java.io.InputStream;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Columns and their new values, for {@link FencedTable}. Immutable. */
public final class Columns {

    private static final Columns NONE = new Columns(List.of(), List.of());

    private final List<String> names;
    private final List<@Nullable Object> values;

    private Columns(List<String> names, List<@Nullable Object> values) {
        for (int i = 0; i < names.size(); i++) {
            if (values.get(i) instanceof InputStream || values.get(i) instanceof Reader) {
                throw new IllegalArgumentException("column " + names.get(i)
                        + " is given a stream, which can be sent once only; give it the bytes or the text");
            }
        }
        this.names = names;
        this.values = values;
    }

    /**
     * Returns no columns: only the fence is written.
     *
     * @return nothing to set
     */
    public static Columns none() {
        return NONE;
    }

    /**
     * Returns one column.
     *
     * @param column its name, as the database spells it
     * @param value anything that the driver takes as a parameter, but a stream: a value may be sent twice
     * @return the column
     * @throws IllegalArgumentException if the value is an {@link InputStream} or a {@link Reader}
     */
    public static Columns set(String column, @Nullable Object value) {
        return NONE.and(column, value);
    }

    /**
     * Returns several columns.
     *
     * @param values by the columns' names, as in {@link #set}
     * @return the columns in the map's order
     * @throws IllegalArgumentException if a value is a stream
     */
    public static Columns of(Map<String, ? extends @Nullable Object> values) {
        return new Columns(List.copyOf(values.keySet()), new ArrayList<>(values.values()));
    }

    /**
     * Returns these columns and one more.
     *
     * @param column its name, as the database spells it
     * @param value as in {@link #set}
     * @return a copy
     * @throws IllegalArgumentException if the column is set already, or the value is a stream
     */
    public Columns and(String column, @Nullable Object value) {
        if (names.contains(column)) {
            throw new IllegalArgumentException("column " + column + " is set twice");
        }
        List<String> moreNames = new ArrayList<>(names);
        moreNames.add(column);
        List<@Nullable Object> moreValues = new ArrayList<>(values);
        moreValues.add(value);
        return new Columns(List.copyOf(moreNames), moreValues);
    }

    List<String> names() {
        return names;
    }

    List<@Nullable Object> values() {
        return values;
    }
}
