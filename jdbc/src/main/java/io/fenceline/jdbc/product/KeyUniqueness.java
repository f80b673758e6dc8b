package io.fenceline.jdbc.product;

import java.util.List;

/**
 * Uniqueness of a column in its table.
 *
 * @param isUnique whether the column is the primary key, or has a unique index over all rows, by itself
 * @param primaryKey the columns of the primary key, none if there is no such key
 */
public record KeyUniqueness(boolean isUnique, List<String> primaryKey) {

    /** Copies the columns. */
    public KeyUniqueness {
        primaryKey = List.copyOf(primaryKey);
    }
}
