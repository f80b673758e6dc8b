package io.fenceline.jdbc.trigger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a product's triggers look for the stamp.
 *
 * @param product the name that its driver tells
 * @param setting takes the token and the lock's key
 * @param clearing removes the stamp
 */
record StampPlace(String product, String setting, String clearing) {

    private static final List<StampPlace> ALL = List.of(
            new StampPlace(
                    "PostgreSQL",
                    "SELECT set_config('fenceline.stamp', ?::bigint || ' ' || ?::text, true)",
                    "SELECT set_config('fenceline.stamp', '', true)"),
            new StampPlace(
                    "SQLite",
                    "INSERT OR REPLACE INTO fenceline_stamp (token, lock_key) VALUES (?, ?)",
                    "DELETE FROM fenceline_stamp"));

    static StampPlace of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return ALL.stream()
                .filter(place -> place.product.equals(product))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no triggers on '" + product + "'; there are some for "
                        + ALL.stream().map(StampPlace::product).collect(Collectors.joining(", "))));
    }
}
