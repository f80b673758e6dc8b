package io.fenceline.jdbc.product;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceRule;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.List;
import java.util.Optional;

/**
 * A product's statements and rules for fences. Stateless.
 *
 * <p>Statements have {@code fenceline_fences} where the table of fences is meant, and {@code ?1}, {@code ?2} where values belong.
 */
public interface FenceDialect {

    /**
     * Returns the statements of a write, to be tried in turn with the values resource, lock key and token. They make or raise the
     * resource's row if the stamp is admitted, and keep the row locked until the transaction ends. The decision is made on the latest
     * committed row, which nobody can change meanwhile; where the isolation level forbids that, they fail.
     */
    List<FenceStep> write(FenceRule rule);

    /** Returns what joins a write and an update in one request, where the product and its driver can. */
    default Optional<OneRequest> oneRequest() {
        return Optional.empty();
    }

    /** Returns the statements of a claim: as {@link #write}, but it does not count as a write. */
    List<FenceStep> claim();

    /**
     * Returns the statements that take the next number of a clock in {@code fenceline_fences_clock}, to be tried in turn with the values
     * name and greatest number until one returns a row with the number. Each commits by itself. None returns one above the greatest.
     */
    List<String> nextNumber();

    /** Returns the statements that raise a clock and never lower it, to be tried in turn with the values name and number. */
    List<FenceStep> raiseClock();

    /** Returns an expression for the current time as the tables keep it, for people. */
    String now();

    /** Returns a name as a value of the columns that hold resources, lock keys, streams and clocks, which are compared byte by byte. */
    Object key(String name);

    /** Reads a name that {@link #key(String)} has written. */
    String key(ResultSet row, String column) throws SQLException;

    /**
     * Lets a query of one existing row see what is committed now, where a transaction would see what was committed when it first
     * looked. It may lock the row until the transaction ends.
     */
    String latest(String query);

    /** Returns the type of {@link java.sql.Types} whose rules a column follows. */
    default int columnType(int type, String typeName) {
        return type;
    }

    /** Returns how many digits a column keeps of a number that does not fit into 8 bytes, whatever the column is declared as. */
    default int exactDigits() {
        return Integer.MAX_VALUE;
    }

    /** Tells how a text column that is the key of a table compares texts. The names are as the database spells them. */
    default TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        return TextComparison.EXACT;
    }

    /**
     * Tells whether a column names one row of a table. The names are as the database spells them.
     *
     * @return nothing for a view, which has no keys; several where the name may be that of several tables
     */
    default List<KeyUniqueness> uniqueness(Connection connection, String table, String column) throws SQLException {
        return CatalogUniqueness.of(connection, table, column);
    }

    /**
     * Refuses a table whose changes a rollback does not undo. Its name is as the database spells it.
     *
     * @throws IllegalArgumentException if it is one
     */
    default void ensureTransactional(Connection connection, String table) throws SQLException {}

    /**
     * Quotes the name of a table or column as part of a statement.
     *
     * @throws IllegalArgumentException if it cannot be a name
     */
    String quoted(String identifier);

    /** Reads the script that makes the tables of {@code fences}, {@code stream} or {@code clock} if they are missing. */
    String script(String part);

    /** Takes a script apart as far as the driver needs it. */
    default List<String> statements(String script) {
        return List.of(script);
    }

    /** Keeps others from making tables until the transaction ends, where the database does not see to that. */
    default void lockSchema(Connection connection) throws SQLException {}

    /** Compares what is there with what a script makes. Returns a line for each thing that is missing or different. */
    List<String> problems(Connection connection, String script) throws SQLException;

    /**
     * Refuses a connection whose driver hides that a transaction was lost: one that repeats its statements on another connection would
     * take the fence again, and nobody would see that it is refused by then.
     *
     * @throws IllegalArgumentException if the driver is set to do so; the message says what to change
     */
    default void ensureFit(Connection connection) throws SQLException {}

    /**
     * Watches a transaction in which a fence was just taken. Some databases answer the commit of a failed transaction with a
     * rollback that their drivers take for a success. Others end a transaction in the middle, after a deadlock or with a statement
     * that makes a table, and let what follows run in a new one, where nothing keeps the fence.
     */
    TransactionCheck watch(Connection connection) throws SQLException;

    /**
     * Shows a stamp to triggers for the writes that follow, where the statements of {@link #write} do not, and where there are
     * triggers at all. Returns the stamp that was shown before, if it has to be shown again.
     */
    default Optional<FenceStamp> show(Connection connection, FenceStamp stamp, String resource) throws SQLException {
        return Optional.empty();
    }

    /** Tells whether a transaction of ours whose fence was refused, and so changed nothing, is committed rather than rolled back. */
    default boolean commitsRefusals() {
        return false;
    }

    /** Takes back what {@link #show} has shown, before the commit. */
    default void hide(Connection connection, Optional<FenceStamp> before) throws SQLException {}

    /**
     * Tells whether an insert of ours failed since another had just made the row, and nothing else was undone. Never where one
     * statement inserts or updates.
     */
    default boolean isForestalled(SQLException e) {
        return false;
    }

    /** Tells whether the database gave a transaction up because of others: nothing of it was done, and repeating it may succeed. */
    boolean isConflict(SQLException e);

    /**
     * Tells whether others made or changed a row meanwhile, so that the change of it is to be tried again at once. A row that was
     * waited for in vain is none of these: to try again is to wait again.
     */
    default boolean isRowConflict(SQLException e) {
        return isForestalled(e) || (isConflict(e) && !(e instanceof SQLTimeoutException));
    }
}
