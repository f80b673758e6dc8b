package io.fenceline.jdbc.dialect;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.spi.SchemaControl;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The tables of a store that was opened by its URI: they are made before the first change. Until then whoever looks finds nothing, and
 * makes nothing.
 */
public final class TablesOnDemand implements SchemaControl {

    /** No such table, in the words of PostgreSQL, of MariaDB and MySQL, of SQL Server, and of H2, which also misses whole files. */
    private static final Set<String> MISSING = Set.of("42P01", "42S02", "S0002", "42S03", "42S04", "90079", "90146");

    private final StoreSchema schema;
    private final Runnable making;
    private final ReentrantLock turn = new ReentrantLock();
    private volatile boolean done;

    /**
     * Looks which tables there are.
     *
     * @param schema makes them
     * @param making called before they are made
     * @throws BackendException as {@link StoreSchema#isComplete} does
     */
    public TablesOnDemand(StoreSchema schema, Runnable making) {
        this.schema = schema;
        this.making = making;
        this.done = isComplete(schema);
    }

    private static boolean isComplete(StoreSchema schema) {
        try {
            return schema.isComplete();
        } catch (BackendException e) {
            if (areMissing(e)) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public String schemaScript() {
        return schema.schemaScript();
    }

    @Override
    public void installSchema() {
        making.run();
        schema.installSchema();
    }

    @Override
    public List<String> schemaProblems() {
        try {
            return schema.schemaProblems();
        } catch (BackendException e) {
            if (areMissing(e)) {
                return List.of("the database is missing");
            }
            throw e;
        }
    }

    /**
     * Makes the tables that are missing, once. A role that may not make any goes on: if one is missing, its statement says what to do.
     *
     * @throws BackendException if it fails for another reason
     */
    void make() {
        if (done) {
            return;
        }
        turn.lock();
        try {
            if (!done) {
                installSchema();
                done = true;
            }
        } catch (BackendException e) {
            if (e.code() != ErrorCode.AUTH_FAILED) {
                throw e;
            }
            done = true;
        } finally {
            turn.unlock();
        }
    }

    /** Tells whether a statement failed since the tables are still to be made. */
    static boolean areMissing(BackendException e) {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && MISSING.contains(String.valueOf(sql.getSQLState()))) {
                return true;
            }
        }
        return false;
    }
}
