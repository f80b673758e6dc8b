package io.fenceline.jdbc.trigger;

import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.HeldFences;
import io.fenceline.jdbc.sql.OwnTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes and removes the triggers of guarded tables on a connection: in its transaction, or else in one of its own. On PostgreSQL a
 * transaction of the caller is to be at READ COMMITTED: at another level a child that is made meanwhile is not seen and not guarded.
 */
public final class GuardedTables {

    /** Prefix of the notices of our scripts. Databases add others, for instance that a table exists. */
    private static final String NOTICE = "fenceline: ";

    private GuardedTables() {}

    /**
     * Guards a table. Guarding it again, also in another mode or under another rule, replaces what is there and keeps all
     * fences and counts. All or nothing.
     *
     * @param connection of a role that may make triggers on the table, and functions and tables beside the fences; on PostgreSQL the role
     *     that owns the fences, a member of it or a superuser
     * @param table the table
     * @param fences the table with the fences, perhaps after a schema and a dot; {@code fenceline_fences} as a rule
     * @return what an operator should know of this installation, a sentence each; usually empty
     * @throws SQLException if the database refuses; on PostgreSQL also if {@code fences} has no schema and another one, in which programs
     *     may find theirs, has such a table
     * @throws IllegalArgumentException if there is no such table or column, or the product is not known
     */
    public static List<String> install(Connection connection, GuardedTable table, String fences) throws SQLException {
        TriggerProduct product = TriggerProducts.of(connection);
        product.requireKey(connection, table);
        return run(connection, product, product.dialect(connection, fences).installation(table));
    }

    /**
     * Ends the guarding of a table. Fences and counts stay. Does nothing if it is not guarded.
     *
     * @param connection of a role that may remove the triggers
     * @param table the table as SQL writes it
     * @param fences as it was installed with
     * @throws SQLException if the database refuses, for instance for a partition that is guarded with its whole table
     * @throws IllegalArgumentException if there is no such table, or the product is not known
     */
    public static void remove(Connection connection, String table, String fences) throws SQLException {
        TriggerProduct product = TriggerProducts.of(connection);
        product.requireTable(connection, table);
        run(connection, product, product.dialect(connection, fences).removal(table));
    }

    /**
     * Tells what observing triggers have let pass.
     *
     * @param connection to the database
     * @param fences the table with the fences; the counts are beside it
     * @return the kinds of writes, by table, operation and reason; empty also if no table was ever observed
     * @throws SQLException if the database refuses
     * @throws IllegalArgumentException if the product is not known
     */
    public static List<ObservedWrites> observed(Connection connection, String fences) throws SQLException {
        return TriggerProducts.of(connection).observed(connection, fences);
    }

    private static List<String> run(Connection connection, TriggerProduct product, String script) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (Products.of(connection).awaitsCommit(connection)) {
                statement.executeUpdate(script);
                return notices(statement);
            }
            HeldFences.ensureNoOtherWriter(HeldFences.database(connection));
            try (OwnTransaction own = OwnTransaction.begin(connection)) {
                product.begin(statement);
                statement.executeUpdate(script);
                List<String> notices = notices(statement);
                own.commit();
                return notices;
            }
        }
    }

    private static List<String> notices(Statement statement) throws SQLException {
        List<String> notices = new ArrayList<>();
        for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            String message = String.valueOf(warning.getMessage());
            if (message.startsWith(NOTICE)) {
                notices.add(message.substring(NOTICE.length()));
            }
        }
        return notices;
    }
}
