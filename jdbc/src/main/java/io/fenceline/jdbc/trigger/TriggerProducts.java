package io.fenceline.jdbc.trigger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The database products that have triggers. */
final class TriggerProducts {

    private static final List<TriggerProduct> ALL = List.of(new PostgresTriggerProduct(), new SqliteTriggerProduct());

    private TriggerProducts() {}

    /**
     * Returns the product of a connection, by what its driver says.
     *
     * @throws IllegalArgumentException if it has no triggers
     */
    static TriggerProduct of(Connection connection) throws SQLException {
        String found = connection.getMetaData().getDatabaseProductName();
        return find(found)
                .orElseThrow(() -> new IllegalArgumentException("no triggers on '" + found + "'; there are some for "
                        + ALL.stream().map(TriggerProduct::name).collect(Collectors.joining(", "))));
    }

    /** Returns the product of a connection if it has triggers. */
    static Optional<TriggerProduct> find(Connection connection) throws SQLException {
        return find(connection.getMetaData().getDatabaseProductName());
    }

    private static Optional<TriggerProduct> find(String name) {
        return ALL.stream().filter(product -> product.name().equals(name)).findFirst();
    }
}
