package io.fenceline.jdbc.sql;

/** Quotes names of tables and columns. */
public final class SqlNames {

    private SqlNames() {}

    /**
     * Quotes a name, whatever it holds; a quote within it is doubled.
     *
     * @throws IllegalArgumentException if no database can have such a name
     */
    public static String quoted(String identifier, char quote) {
        if (identifier.isEmpty() || identifier.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("'" + identifier + "' is no name of a table or column");
        }
        return quote + identifier.replace(String.valueOf(quote), "" + quote + quote) + quote;
    }
}
