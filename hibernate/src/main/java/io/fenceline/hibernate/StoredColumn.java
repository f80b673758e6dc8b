package io.fenceline.hibernate;

import io.fenceline.jdbc.product.ColumnKind;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.KeyColumn;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.product.TableColumn;
import io.fenceline.jdbc.product.TextComparison;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A column in the names of rows, as the database has it. Values that it calls equal get one text; values that it compares loosely,
 * rounds, cuts, fills up or converts are refused.
 */
record StoredColumn(KeyColumn keys) {

    /** The kinds of column that keep values of a type as they are bound. */
    private static final Map<Class<?>, Set<ColumnKind>> KEPT = Map.of(
            Byte.class, Set.of(ColumnKind.INTEGER, ColumnKind.DECIMAL),
            Short.class, Set.of(ColumnKind.INTEGER, ColumnKind.DECIMAL),
            Integer.class, Set.of(ColumnKind.INTEGER, ColumnKind.DECIMAL),
            Long.class, Set.of(ColumnKind.INTEGER, ColumnKind.DECIMAL),
            BigDecimal.class, Set.of(ColumnKind.INTEGER, ColumnKind.DECIMAL),
            String.class, Set.of(ColumnKind.TEXT),
            UUID.class, Set.of(ColumnKind.UUID),
            byte[].class, Set.of(ColumnKind.BYTES));

    /** Tells whether bound values of a type can name a row. */
    static boolean isKey(Class<?> bound) {
        return KEPT.containsKey(bound);
    }

    /**
     * Reads the description of a column whose names are as in Hibernate's SQL.
     *
     * @param bound the type of the values that the driver gets
     */
    static StoredColumn read(Connection connection, String table, String name, Class<?> bound) throws SQLException {
        FenceDialect dialect = Products.of(connection).fences();
        DatabaseMetaData spelling = connection.getMetaData();
        TableColumn column;
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("select " + name + " from " + table + " where 1 = 0")) {
            column = TableColumn.of(dialect, table, name, none.getMetaData(), 1);
        }
        TextComparison texts = column.kind() == ColumnKind.TEXT
                ? dialect.comparison(connection, spelled(table, spelling), spelled(name, spelling))
                : TextComparison.EXACT;
        KeyColumn keys = new KeyColumn(column, texts, dialect.exactDigits());
        if (!KEPT.getOrDefault(bound, Set.of()).contains(column.kind())) {
            throw column.unfit("it converts the values of type " + bound.getTypeName()
                    + " that it gets, so that one row would have several names; map it with the attribute's own type");
        }
        return new StoredColumn(keys);
    }

    /**
     * Refuses tables whose changes a rollback does not undo. Their names are as in Hibernate's SQL.
     *
     * @throws IllegalArgumentException if there is one
     */
    static void ensureTransactional(Connection connection, Set<String> tables) throws SQLException {
        FenceDialect dialect = Products.of(connection).fences();
        for (String table : tables) {
            dialect.ensureTransactional(connection, spelled(table, connection.getMetaData()));
        }
    }

    private static String spelled(String name, DatabaseMetaData spelling) throws SQLException {
        boolean lower = spelling.storesLowerCaseIdentifiers();
        boolean upper = spelling.storesUpperCaseIdentifiers();
        String quote = spelling.getIdentifierQuoteString();
        return Arrays.stream(name.split("\\.", -1))
                .map(part -> part.startsWith(quote)
                        ? part.substring(quote.length(), part.length() - quote.length())
                        : lower ? part.toLowerCase(Locale.ROOT) : upper ? part.toUpperCase(Locale.ROOT) : part)
                .collect(Collectors.joining("."));
    }

    /** Returns the one value for all that the column calls equal. */
    Object canonical(Object bound) {
        return keys.of(bound).value();
    }
}
