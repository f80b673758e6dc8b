package io.fenceline.jdbc.product;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.jdbc.sql.SqlErrors;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.WaiterNotices;
import java.util.Optional;
import java.util.Set;

/** A product's own part of locks in a table, or that of a layout of tables on a product. Stateless. */
public interface LockDialect {

    /** Returns the product. */
    Product product();

    /** Returns the meanings of errors; those of the product unless overridden. */
    default SqlErrors errors() {
        return product().errors();
    }

    /** Returns the statements of locking. */
    LockStatements statements(LockStore store);

    /** Returns what passes a lock on within a process, if the product can do it in one statement. */
    default Optional<SuccessionStatement> succession(LockStore store) {
        return Optional.empty();
    }

    /** Returns what extends many leases at once, if the product can do it in one statement. */
    default Optional<BulkExtensionStatement> bulkExtension(LockStore store) {
        return Optional.empty();
    }

    /** Returns what compares tables with a script. */
    FoundTables tables();

    /** Returns a statement that runs before a script that makes tables, in its transaction; empty unless overridden. */
    default String schemaPreamble() {
        return "";
    }

    /** Returns the script that makes the tables, with the fences beside the locks if there are any. */
    String script(LockTable table);

    /** Returns what makes and checks the tables. */
    StoreSchema schema(LockStore store);

    /** Returns what lists leases and puts things right by hand. */
    LockCatalog catalog(LockStore store);

    /** Returns what operators do with the fences beside the locks, if there are guards for the product. Empty unless overridden. */
    default Optional<FenceCatalog> fenceCatalog(LockStore store) {
        return Optional.empty();
    }

    /** Returns what guards tables of the database by triggers, as an ability, if there are triggers for the product. Empty unless overridden. */
    default Optional<?> triggers(LockStore store) {
        return Optional.empty();
    }

    /** Returns what examines the server. */
    SelfDiagnosis diagnosis(LockStore store);

    /** Returns signals, if the product can send them. */
    default Optional<WaiterSignals> signals(LockStore store, ListenConnectionSource connections) {
        return Optional.empty();
    }

    /** Returns where waiters post that they wait, if the product cannot send signals. Empty unless overridden. */
    default Optional<WaiterNotices> notices(LockStore store) {
        return Optional.empty();
    }

    /** Returns the schemes of the URIs that open such a database, without the colon and in lower case. */
    Set<String> schemes();

    /** Returns a template of such a URI for help texts. */
    String usage();

    /**
     * Opens a database by its URI. Connects once, so that a wrong address fails here.
     *
     * @param uri starts with one of the schemes; the message of an exception does not repeat it, since it may have a password
     * @throws IllegalArgumentException if the URI is malformed
     * @throws io.fenceline.BackendException if the database cannot be reached
     */
    OpenedDatabase open(String uri);
}
