package io.fenceline.jdbc.sql;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the names of tables that users choose, which become parts of statements. */
public final class TableNames {

    private static final Pattern NAME = Pattern.compile("(?:[a-z_][a-z0-9_]{0,62}\\.)?([a-z_][a-z0-9_]*)");

    private TableNames() {}

    /**
     * Checks a name.
     *
     * @throws IllegalArgumentException unless it has lower-case letters, digits and underscores, {@code maxLength} at the most, and
     *     perhaps a schema and a dot before them
     */
    public static void check(String name, int maxLength) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches() || matcher.group(1).length() > maxLength) {
            throw new IllegalArgumentException("table is '" + name + "'; a table name has at most " + maxLength
                    + " lower-case letters, digits and underscores, and may follow a schema and a dot");
        }
    }
}
