package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceRule;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All that guards need to know of a database product. Stateless.
 *
 * <p>Statements have {@code fenceline_fences} where the table of fences is meant, and {@code ?1}, {@code ?2} where values
 * belong; a value may occur again.
 */
public interface FenceDialect {

    /**
     * Returns PostgreSQL, from version 13 on, through its own driver.
     *
     * @return the dialect
     */
    static FenceDialect postgresql() {
        return PostgresFences.DIALECT;
    }

    /**
     * Returns SQLite, from version 3.35 on, through the Xerial driver.
     *
     * @return the dialect
     */
    static FenceDialect sqlite() {
        return SqliteFences.DIALECT;
    }

    /**
     * Returns MariaDB, from version 10.5 on, with InnoDB, through its own driver or that of MySQL.
     *
     * @return the dialect
     */
    static FenceDialect mariaDb() {
        return MariaDbFences.MARIADB;
    }

    /**
     * Returns MySQL, from version 8.0.29 on, with InnoDB, through its own driver or that of MariaDB. The statements are those of
     * MariaDB, on which they are tested; no MySQL was run.
     *
     * @return the dialect
     */
    static FenceDialect mySql() {
        return MariaDbFences.MYSQL;
    }

    /**
     * Returns H2, from version 2.5 on. Fences outlive a process that is killed only with {@code WRITE_DELAY=0}.
     *
     * @return the dialect
     */
    static FenceDialect h2() {
        return H2Fences.DIALECT;
    }

    /**
     * Returns the product of a connection, by what its driver says. Asks no server.
     *
     * @param connection any connection
     * @return the dialect
     * @throws SQLException if the connection is of no use
     * @throws IllegalArgumentException if the product is not known
     */
    static FenceDialect of(Connection connection) throws SQLException {
        List<FenceDialect> known = List.of(postgresql(), sqlite(), mariaDb(), mySql(), h2());
        String product = connection.getMetaData().getDatabaseProductName();
        return known.stream()
                .filter(dialect -> dialect.product().equals(product))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no fences on '" + product + "'; known are "
                        + known.stream().map(FenceDialect::product).collect(Collectors.joining(", "))
                        + "; if it is one of them under another name, say so with GuardOptions.withDialect"));
    }

    /**
     * Returns the product.
     *
     * @return the name that its driver tells
     */
    String product();

    /**
     * Returns the statements of a write: they make or raise a resource's row if the stamp is admitted, and keep the row locked
     * until the transaction ends. Admitted or not is decided on the latest committed row, which nobody can change meanwhile;
     * where the isolation level forbids that, they fail.
     *
     * @param rule how often a grant may write
     * @return statements with the values resource, lock key and token, to be tried in turn
     */
    List<Step> write(FenceRule rule);

    /**
     * Returns the statements of a claim, as {@link #write}, but without counting as a write.
     *
     * @return statements with the values resource, lock key and token, to be tried in turn
     */
    List<Step> claim();

    /**
     * Returns the statements that take the next number of a clock, each committing by itself. The table is {@code
     * fenceline_fences_clock}.
     *
     * @return statements with the values name and greatest number, to be tried in turn until one returns a row, which is the
     *     number; none does if it would be above
     */
    List<String> nextNumber();

    /**
     * Returns the statements that raise a clock, and lower none.
     *
     * @return statements with the values name and number, to be tried in turn
     */
    List<Step> raiseClock();

    /**
     * Returns the time of a statement as the tables keep it, for people.
     *
     * @return an expression
     */
    String now();

    /**
     * Returns a name as a value of the columns that hold resources, lock keys, streams and clocks, where names are compared
     * byte by byte.
     *
     * @param name any text
     * @return what the driver takes
     */
    Object key(String name);

    /**
     * Reads a name.
     *
     * @param row a row
     * @param column its column
     * @return the text
     * @throws SQLException if the database does not answer
     */
    String key(ResultSet row, String column) throws SQLException;

    /**
     * Lets a query see what is committed now, where a transaction would see what was committed when it first looked.
     *
     * @param query a query of one row that is there
     * @return the query; it may lock the row until the transaction ends
     */
    String latest(String query);

    /**
     * Returns the JDBC type whose rules a column follows.
     *
     * @param type the type that the driver tells, of {@link java.sql.Types}
     * @param typeName the product's name of it
     * @return the type
     */
    default int columnType(int type, String typeName) {
        return type;
    }

    /**
     * Returns how many digits of a number that does not fit into 8 bytes a column keeps, whatever it is declared as.
     *
     * @return the digits
     */
    default int exactDigits() {
        return Integer.MAX_VALUE;
    }

    /**
     * Tells how a text column that is the key of a table compares texts.
     *
     * @param connection where
     * @param table the table, perhaps after a schema and a dot, as the database spells it
     * @param column the column
     * @return the comparison; {@link TextComparison#EXACT} where the product is not asked
     * @throws SQLException if the database refuses or does not answer
     */
    default TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        return TextComparison.EXACT;
    }

    /**
     * Quotes the name of a table or column.
     *
     * @param identifier any text
     * @return the name as part of a statement
     * @throws IllegalArgumentException if it cannot be a name
     */
    String quoted(String identifier);

    /**
     * Reads a script that makes tables if they are missing. It begins and ends no transaction.
     *
     * @param part {@code fences}, {@code stream} or {@code clock}
     * @return statements in the product's own language
     */
    String script(String part);

    /**
     * Takes a script apart as far as the driver needs it.
     *
     * @param script as {@link #script} reads it
     * @return what is to be executed, in order
     */
    default List<String> statements(String script) {
        return List.of(script);
    }

    /**
     * Takes turns with others who make tables, to the end of the transaction, where the database does not see to that.
     *
     * @param connection in a transaction
     * @throws SQLException if the database refuses or does not answer
     */
    default void aloneWithSchema(Connection connection) throws SQLException {}

    /**
     * Compares what is there with what a script makes.
     *
     * @param connection where
     * @param script what should be there
     * @return a line for each thing that is missing or different
     * @throws SQLException if the database refuses or does not answer
     */
    List<String> problems(Connection connection, String script) throws SQLException;

    /**
     * Tells whether what runs on a connection next would be part of a transaction that somebody else began. Does not ask the
     * database.
     *
     * @param connection a connection as the data source gave it
     * @return true also if it cannot be told
     * @throws SQLException if the connection is of no use
     */
    boolean isInTransaction(Connection connection) throws SQLException;

    /**
     * Refuses a connection whose driver hides that a transaction was lost: one that repeats its statements on another connection would
     * take the fence again, and nobody would see that it is refused by then.
     *
     * @param connection where fences are to be taken
     * @throws SQLException if the connection is of no use
     * @throws IllegalArgumentException if the driver is set to do so; the message says what to change
     */
    default void ensureFit(Connection connection) throws SQLException {}

    /**
     * Watches a transaction in which a fence was just taken. Some databases answer the commit of a failed transaction with a
     * rollback that their drivers take for a success; others end a transaction in the middle, after a deadlock or with a
     * statement that makes a table, and let what follows run in a new one, where nothing keeps the fence.
     *
     * @param connection in the transaction
     * @return what tells before the commit
     * @throws SQLException if the database refuses or does not answer
     */
    Unbroken watch(Connection connection) throws SQLException;

    /**
     * Shows a stamp to triggers for the writes that follow, where the statements of {@link #write} do not, and where there are
     * triggers at all.
     *
     * @param connection in the transaction, which has taken the resource's fence
     * @param stamp the writer's key and token
     * @param resource the name of what is written
     * @return the stamp that was shown before, if there was one and it has to be shown again
     * @throws SQLException if the database refuses or does not answer
     */
    default Optional<FenceStamp> show(Connection connection, FenceStamp stamp, String resource) throws SQLException {
        return Optional.empty();
    }

    /**
     * Takes back what {@link #show} has shown. To be called before the commit.
     *
     * @param connection in the transaction
     * @param before what {@link #show} returned
     * @throws SQLException if the database refuses or does not answer
     */
    default void hide(Connection connection, Optional<FenceStamp> before) throws SQLException {}

    /**
     * Tells whether an insert of ours failed since another had just made the row, and nothing else was undone. Never where one
     * statement inserts or updates.
     *
     * @param e what the driver said
     * @return whether the row is there now
     */
    default boolean isForestalled(SQLException e) {
        return false;
    }

    /**
     * Tells whether the database gave a transaction up because of others, so that repeating it may succeed.
     *
     * @param e what the driver said
     * @return whether it is a conflict: nothing of the transaction was done
     */
    boolean isConflict(SQLException e);

    /**
     * Tells why a statement failed.
     *
     * @param e what the driver said
     * @param unclear the effect if the database did not say that it refused the statement
     * @return the error for the caller
     */
    BackendException failed(SQLException e, Effect unclear);

    /**
     * Tells why there is no connection. Nothing was changed.
     *
     * @param e what the data source said
     * @return the error for the caller
     */
    BackendException unreachable(SQLException e);
}
