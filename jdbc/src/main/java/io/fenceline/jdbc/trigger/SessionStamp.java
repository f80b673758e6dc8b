package io.fenceline.jdbc.trigger;

import io.fenceline.FenceStamp;
import io.fenceline.jdbc.product.Products;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Shows a stamp to the triggers of guarded tables, for one transaction.
 *
 * <p>One stamp counts at a time; setting another one within the transaction replaces it.
 */
public final class SessionStamp {

    private SessionStamp() {}

    /**
     * Lets the following writes of the running transaction be checked against a stamp.
     *
     * <p>On PostgreSQL the stamp ends with the transaction or with {@link #clear}. On SQLite it must be cleared before the
     * commit, which fails otherwise, and the connection must have been opened with foreign keys on ({@code
     * jdbc:sqlite:app.db?foreign_keys=on}). Set it there first in the transaction, before a guard enters, and clear it once, at the
     * end: under {@link io.fenceline.guard.FenceRule#ONCE} triggers refuse what the grant has written before the stamp was set, or
     * before it was cleared.
     *
     * @param connection in a transaction
     * @param stamp the writer's key and token
     * @throws SQLException if the database refuses it
     * @throws IllegalStateException if no transaction runs: the stamp would end before the write
     * @throws IllegalArgumentException if the product is not known
     */
    public static void set(Connection connection, FenceStamp stamp) throws SQLException {
        ensureInTransaction(connection);
        TriggerProducts.of(connection).set(connection, stamp);
    }

    /**
     * Lets the following writes of the running transaction be without a stamp. Harmless if there is none.
     *
     * @param connection in a transaction
     * @throws SQLException if the database refuses it, for instance since the transaction has failed and can only be rolled
     *     back; then it ends without a stamp anyway
     * @throws IllegalStateException if no transaction runs
     * @throws IllegalArgumentException if the product is not known
     */
    public static void clear(Connection connection) throws SQLException {
        ensureInTransaction(connection);
        TriggerProducts.of(connection).clear(connection);
    }

    /**
     * Shows a stamp wherever triggers could ask for one, and does nothing elsewhere; for guards, which do not know whether a table has
     * triggers too. On SQLite {@link #hide} must follow before the commit.
     *
     * @param connection in a transaction, which has taken the resource's fence
     * @param stamp the writer's key and token
     * @param resource the name of what is written; under {@link io.fenceline.guard.FenceRule#ONCE} a trigger lets this transaction
     *     write it
     * @return the stamp that was shown before, for {@link #hide}; none where nothing must be hidden
     * @throws SQLException if the database refuses it
     */
    public static Optional<FenceStamp> show(Connection connection, FenceStamp stamp, String resource)
            throws SQLException {
        Optional<TriggerProduct> product = TriggerProducts.find(connection);
        return product.isPresent() ? product.get().show(connection, stamp, resource) : Optional.empty();
    }

    /**
     * Takes back what {@link #show} has shown, where it would outlive the transaction or fail its commit.
     *
     * @param connection in the transaction
     * @param before what {@link #show} returned: it is shown again
     * @throws SQLException if the database refuses it
     */
    public static void hide(Connection connection, Optional<FenceStamp> before) throws SQLException {
        Optional<TriggerProduct> product = TriggerProducts.find(connection);
        if (product.isPresent()) {
            product.get().hide(connection, before);
        }
    }

    private static void ensureInTransaction(Connection connection) throws SQLException {
        if (!Products.of(connection).awaitsCommit(connection)) {
            throw new IllegalStateException(
                    "no transaction runs, so the stamp would end before the write; call setAutoCommit(false) first");
        }
    }
}
