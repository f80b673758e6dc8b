package io.fenceline.jdbc.dialect;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.WaiterNotices;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** All that a database product has of its own. Stateless. */
public interface Dialect {

    /**
     * Returns the product.
     *
     * @return the name that its driver tells
     */
    String product();

    /**
     * Returns what knows its errors.
     *
     * @return the meanings of its errors
     */
    SqlErrors errors();

    /**
     * Tells whether what runs on a connection next would be part of a transaction that somebody else began. Does not ask the
     * database unless there is doubt.
     *
     * @param connection a connection as the data source gave it
     * @return true also if it cannot be told
     * @throws SQLException if the connection is of no use
     */
    boolean isInTransaction(Connection connection) throws SQLException;

    /**
     * Returns the statements of locking.
     *
     * @param store where the locks are
     * @return the statements
     */
    LockStatements locks(LockStore store);

    /**
     * Returns what passes a lock on within a process, if the product can do it in one statement.
     *
     * @param store where the locks are
     * @return the statement
     */
    Optional<SuccessionStatement> succession(LockStore store);

    /**
     * Returns what makes and checks the tables.
     *
     * @param store where the locks are
     * @return the schema
     */
    StoreSchema schema(LockStore store);

    /**
     * Returns what lists leases and puts things right by hand.
     *
     * @param store where the locks are
     * @return the catalog
     */
    LockCatalog catalog(LockStore store);

    /**
     * Returns what operators do with the fences beside the locks, if there are guards for the product.
     *
     * @param store where the locks are
     * @return the catalog; empty unless overridden
     */
    default Optional<FenceCatalog> fences(LockStore store) {
        return Optional.empty();
    }

    /**
     * Returns what guards tables of the database by triggers, if there are triggers for the product.
     *
     * @param store where the locks are
     * @return the triggers; empty unless overridden
     */
    default Optional<TriggerControl> triggers(LockStore store) {
        return Optional.empty();
    }

    /**
     * Returns what examines the server.
     *
     * @param store where the locks are
     * @return the examination
     */
    SelfDiagnosis diagnosis(LockStore store);

    /**
     * Returns signals, if the product can send them.
     *
     * @param store where the locks are
     * @param line gives the connection for them
     * @return the signals
     */
    Optional<WaiterSignals> signals(LockStore store, SignalLine line);

    /**
     * Returns where waiters post that they wait, if the product cannot send signals.
     *
     * @param store where the locks are
     * @return the notices; empty unless overridden
     */
    default Optional<WaiterNotices> notices(LockStore store) {
        return Optional.empty();
    }

    /**
     * Returns the schemes of the URIs that open such a database.
     *
     * @return schemes without the colon, in lower case
     */
    Set<String> schemes();

    /**
     * Returns what such a URI looks like.
     *
     * @return a template for help texts
     */
    String usage();

    /**
     * Opens a database by its URI. Connects once, so that a wrong address fails here.
     *
     * @param uri starts with one of the schemes; the message of an exception does not repeat it, since it may have a password
     * @return the database
     * @throws IllegalArgumentException if the URI is malformed
     * @throws io.fenceline.BackendException if the database cannot be reached
     */
    OpenedDatabase open(String uri);
}
