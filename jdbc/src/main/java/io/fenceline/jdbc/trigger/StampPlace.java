package io.fenceline.jdbc.trigger;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The place in which a product's triggers look for the stamp.
 *
 * @param product the name that its driver tells
 * @param setting takes the token and the lock's key
 * @param clearing removes the stamp
 * @param mustBeCleared whether the stamp fails the commit, where it does not end with the transaction
 * @param ready returns a row if a stamp can be set
 */
record StampPlace(String product, String setting, String clearing, boolean mustBeCleared, Sql ready) {

    private static final List<StampPlace> ALL = List.of(
            new StampPlace(
                    "PostgreSQL",
                    "SELECT " + postgresql("?", "?"),
                    "SELECT set_config('fenceline.stamp', '', true)",
                    false,
                    new Sql("SELECT 1")),
            new StampPlace(
                    "SQLite",
                    "INSERT OR REPLACE INTO fenceline_stamp (token, lock_key) VALUES (?, ?)",
                    "DELETE FROM fenceline_stamp",
                    true,
                    new Sql("""
                        SELECT 1 FROM sqlite_schema, pragma_foreign_keys
                         WHERE name = 'fenceline_stamp' AND type = 'table' AND foreign_keys\
                        """)));

    private static final Sql SHOWN = new Sql("SELECT token, lock_key FROM fenceline_stamp");

    private static final Sql WRITTEN = new Sql("INSERT OR IGNORE INTO fenceline_stamp_written (resource) VALUES (?1)");

    static StampPlace of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return find(product)
                .orElseThrow(() -> new IllegalArgumentException("no triggers on '" + product + "'; there are some for "
                        + ALL.stream().map(StampPlace::product).collect(Collectors.joining(", "))));
    }

    static Optional<StampPlace> find(Connection connection) throws SQLException {
        return find(connection.getMetaData().getDatabaseProductName());
    }

    private static Optional<StampPlace> find(String product) {
        return ALL.stream().filter(place -> place.product.equals(product)).findFirst();
    }

    /** What this transaction shows already; where a stamp must be cleared, so that it can be shown again. */
    Optional<FenceStamp> shown(Connection connection) throws SQLException {
        return SHOWN.one(
                connection, row -> new FenceStamp(LockKey.of(row.getString(2)), FencingToken.of(row.getLong(1))));
    }

    /** Counts a fence that a guard has taken as written by this transaction: under ONCE a trigger asks. */
    static void written(Connection connection, String resource) throws SQLException {
        WRITTEN.run(connection, resource);
    }

    /** The setting names its transaction, so that it admits no other one if it stays. */
    private static String postgresql(String token, String key) {
        return "set_config('fenceline.stamp', pg_current_xact_id()::text || ':' || (" + token + ")::bigint || ' ' || ("
                + key + ")::text, true)";
    }

    /** Whether a stamp can be set: on PostgreSQL always; on SQLite there has to be a table. */
    boolean isReady(Connection connection) throws SQLException {
        return !mustBeCleared || ready.one(connection, row -> true).isPresent();
    }
}
