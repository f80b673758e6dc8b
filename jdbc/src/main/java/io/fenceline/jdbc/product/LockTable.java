package io.fenceline.jdbc.product;

import io.fenceline.jdbc.sql.TableNames;

/**
 * The name of the table with the locks, and from it the names of what lies beside it. It is the only thing that is ever
 * spliced into a statement, so it is checked.
 *
 * @param name lower-case letters, digits and underscores, {@value #MAX_LENGTH} at most, and before them a schema and a dot if
 *     wanted
 */
public record LockTable(String name) implements TableLayout {

    /** The name in our statements as they are written down. */
    public static final String DEFAULT_NAME = "fenceline_lock";

    private static final int MAX_LENGTH = 40;

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public LockTable {
        TableNames.check(name, MAX_LENGTH);
    }

    @Override
    public LockTable table() {
        return this;
    }

    /** {@inheritDoc} Our own tables, which every product's dialect knows. */
    @Override
    public LockDialect of(LockDialect product) {
        return product;
    }

    /**
     * Puts the names into statements.
     *
     * @param sql statements with {@value #DEFAULT_NAME} where the table is meant, and at the start of other names
     */
    public String in(String sql) {
        return sql.replace(DEFAULT_NAME, name);
    }
}
