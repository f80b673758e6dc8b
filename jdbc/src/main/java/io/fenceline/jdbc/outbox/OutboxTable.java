package io.fenceline.jdbc.outbox;

import io.fenceline.jdbc.sql.TableNames;

/**
 * The name of an outbox's table, and from it the names of its indexes. It is the only thing that is ever spliced into a
 * statement, so it is checked.
 *
 * @param name lower-case letters, digits and underscores, perhaps after a schema and a dot
 */
record OutboxTable(String name) {

    private static final int MAX_LENGTH = 40;

    OutboxTable {
        TableNames.check(name, MAX_LENGTH);
    }

    /** Puts the names into statements. An index lies in its table's schema and is named without it. */
    String in(String sql) {
        String bare = name.substring(name.indexOf('.') + 1);
        return sql.replace(OutboxOptions.DEFAULT_TABLE + "_", bare + "_").replaceAll("fenceline_outbox\\b", name);
    }
}
