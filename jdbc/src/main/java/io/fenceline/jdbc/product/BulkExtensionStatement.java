package io.fenceline.jdbc.product;

import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.BulkExtension.Answer;
import io.fenceline.spi.BulkExtension.Extension;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The operation of {@link BulkExtension}, on a connection that commits by itself. */
@FunctionalInterface
public interface BulkExtensionStatement {

    /**
     * Moves the ends of running leases.
     *
     * @return an answer for each, in the same order
     */
    List<Answer> extendAll(Connection connection, List<Extension> extensions) throws SQLException;
}
