package io.fenceline.jdbc.product;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Tells by the driver's metadata whether a column names one row of a table. */
final class CatalogUniqueness {

    private final DatabaseMetaData catalog;
    private final String column;

    private CatalogUniqueness(DatabaseMetaData catalog, String column) {
        this.catalog = catalog;
        this.column = column;
    }

    static List<KeyUniqueness> of(Connection connection, String table, String column) throws SQLException {
        DatabaseMetaData catalog = connection.getMetaData();
        CatalogUniqueness uniqueness = new CatalogUniqueness(catalog, column);
        List<KeyUniqueness> found = new ArrayList<>();
        for (Place place : places(connection, catalog, table)) {
            if (place.isTable()) {
                found.add(uniqueness.in(place));
            }
        }
        return found;
    }

    /** A table's place in the catalog. Drivers take different parts of the name for its catalog and its schema. */
    private record Place(@Nullable String catalog, @Nullable String schema, String table, boolean isTable) {

        boolean isIn(@Nullable String within) {
            return within == null || within.equalsIgnoreCase(schema) || within.equalsIgnoreCase(catalog);
        }
    }

    /** The table in the current schema. If there is none, a path may lead to any of the name. */
    private static List<Place> places(Connection connection, DatabaseMetaData catalog, String name)
            throws SQLException {
        int dot = name.lastIndexOf('.');
        String table = name.substring(dot + 1);
        String within = dot < 0 ? currentSchema(connection) : name.substring(0, dot);
        List<Place> found = named(table, catalog, null);
        List<Place> here = only(found, place -> place.isIn(within));
        if (here.isEmpty()) {
            here = named(table, catalog, within); // some drivers take no catalog for the current one
        }
        List<Place> exact = only(here, place -> place.table().equals(table));
        return !exact.isEmpty() ? exact.subList(0, 1) : !here.isEmpty() ? here : found;
    }

    private static List<Place> named(String table, DatabaseMetaData catalog, @Nullable String within)
            throws SQLException {
        List<Place> found = new ArrayList<>();
        try (ResultSet row = catalog.getTables(within, null, pattern(catalog, table), null)) {
            while (row.next()) {
                found.add(new Place(
                        row.getString("TABLE_CAT"),
                        row.getString("TABLE_SCHEM"),
                        row.getString("TABLE_NAME"),
                        !String.valueOf(row.getString("TABLE_TYPE")).contains("VIEW")));
            }
        }
        return found;
    }

    private static List<Place> only(List<Place> places, Predicate<Place> condition) {
        return places.stream().filter(condition).toList();
    }

    private static @Nullable String currentSchema(Connection connection) throws SQLException {
        String schema = connection.getSchema();
        return schema != null ? schema : connection.getCatalog();
    }

    private static String pattern(DatabaseMetaData catalog, String name) throws SQLException {
        String escape = catalog.getSearchStringEscape();
        return escape == null || escape.isEmpty()
                ? name
                : name.replace(escape, escape + escape)
                        .replace("_", escape + "_")
                        .replace("%", escape + "%");
    }

    private KeyUniqueness in(Place place) throws SQLException {
        List<String> primary = new ArrayList<>();
        try (ResultSet row = catalog.getPrimaryKeys(place.catalog(), place.schema(), place.table())) {
            while (row.next()) {
                primary.add(row.getString("COLUMN_NAME"));
            }
        }
        boolean isUnique =
                isColumnAlone(primary) || uniqueIndexes(place).values().stream().anyMatch(this::isColumnAlone);
        return new KeyUniqueness(isUnique, primary);
    }

    private boolean isColumnAlone(List<String> indexed) {
        return indexed.size() == 1 && column.equalsIgnoreCase(indexed.get(0));
    }

    private Map<String, List<String>> uniqueIndexes(Place place) throws SQLException {
        Map<String, List<String>> indexes = new HashMap<>();
        try (ResultSet row = catalog.getIndexInfo(place.catalog(), place.schema(), place.table(), true, true)) {
            while (row.next()) {
                if (row.getShort("TYPE") != DatabaseMetaData.tableIndexStatistic && !row.getBoolean("NON_UNIQUE")) {
                    List<String> indexed =
                            indexes.computeIfAbsent(row.getString("INDEX_NAME"), name -> new ArrayList<>());
                    indexed.add(String.valueOf(row.getString("COLUMN_NAME"))); // "null" is an expression
                    if (row.getString("FILTER_CONDITION") != null) {
                        indexed.add("of some rows only");
                    }
                }
            }
        }
        return indexes;
    }
}
