package io.fenceline.jdbc.product;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The schema in which a connection looks for tables first. */
public final class CurrentSchema {

    private CurrentSchema() {}

    /**
     * Returns it.
     *
     * @param connection to the database
     * @return the schema, or the catalog with drivers that call it so
     * @throws SQLException if the database fails
     */
    public static @Nullable String of(Connection connection) throws SQLException {
        String schema = connection.getSchema();
        return schema != null ? schema : connection.getCatalog();
    }
}
