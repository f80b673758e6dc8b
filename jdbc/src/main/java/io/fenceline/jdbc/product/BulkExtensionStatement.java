package io.fenceline.jdbc.product;

import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.BulkExtension.Extension;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The operation of {@link BulkExtension}, on a connection that commits by itself. */
@FunctionalInterface
public interface BulkExtensionStatement {

    /**
     * Moves the ends of running leases.
     *
     * @return each one's new end, or empty if the id has no running lease of the key
     */
    List<Optional<Instant>> extendAll(Connection connection, List<Extension> extensions) throws SQLException;
}
