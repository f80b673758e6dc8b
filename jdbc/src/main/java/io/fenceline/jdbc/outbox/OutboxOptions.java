package io.fenceline.jdbc.outbox;

import java.util.regex.Pattern;

/**
 * The name and the table of an outbox.
 *
 * @param name tells it from others in the same table: 1 to 64 lower-case letters, digits, dots, dashes or underscores. Each
 *     name has a relay of its own
 * @param table its table, perhaps after a schema and a dot
 */
public record OutboxOptions(String name, String table) {

    /** The table if no other is named. */
    public static final String DEFAULT_TABLE = "fenceline_outbox";

    private static final Pattern NAME = Pattern.compile("[a-z0-9._-]{1,64}");

    /**
     * Checks the names.
     *
     * @throws IllegalArgumentException if one has another form
     */
    public OutboxOptions {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("name is '" + name
                    + "'; an outbox has 1 to 64 lower-case letters, digits, dots, dashes or underscores");
        }
        new OutboxTable(table);
    }

    /**
     * Returns an outbox in the table {@value #DEFAULT_TABLE}.
     *
     * @param name which one
     * @return the options to start from
     * @throws IllegalArgumentException if the name has another form
     */
    public static OutboxOptions named(String name) {
        return new OutboxOptions(name, DEFAULT_TABLE);
    }

    /**
     * Returns these options with another table.
     *
     * @param newTable at most 40 lower-case letters, digits and underscores, perhaps after a schema and a dot
     * @return a copy
     * @throws IllegalArgumentException if the table is no plain name
     */
    public OutboxOptions withTable(String newTable) {
        return new OutboxOptions(name, newTable);
    }

    /** What a relay claims, so that there is one that is current. */
    String fence() {
        return "outbox/" + name;
    }
}
