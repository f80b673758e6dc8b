package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.spi.SchemaControl;
import io.fenceline.spring.boot.FencelineProperties.InitializeSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Makes or checks the tables when the application starts. */
final class TableSetup {

    private TableSetup() {}

    /**
     * Makes missing tables if the mode says so.
     *
     * @param what what is kept in the tables, for the message
     * @throws MissingTablesException if tables are still missing or different
     */
    static void prepare(String what, SchemaControl schema, InitializeSchema mode, DataSource source) {
        if (mode == InitializeSchema.ALWAYS || (mode == InitializeSchema.EMBEDDED && isInMemory(source))) {
            schema.installSchema();
        }
        List<String> problems = schema.schemaProblems();
        if (!problems.isEmpty()) {
            throw new MissingTablesException(what, problems);
        }
    }

    private static boolean isInMemory(DataSource source) {
        try (Connection connection = source.getConnection()) {
            return connection.getMetaData().getURL().startsWith("jdbc:h2:mem:");
        } catch (SQLException e) {
            return false;
        }
    }
}
