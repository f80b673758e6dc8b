package io.fenceline.jdbc;

import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.TableLayout;
import io.fenceline.jdbc.syncguard.SyncGuardTables;

/**
 * The tables that locks are kept in. Their names are checked here, since they are spliced into statements: lower-case letters,
 * digits and underscores, 40 at most, perhaps after a schema and a dot.
 */
public final class LockSchema {

    private final TableLayout layout;

    private LockSchema(TableLayout layout) {
        this.layout = layout;
    }

    /**
     * Returns our own tables, the default and the fast ones.
     *
     * @param table the table with the locks; what else is needed has names that begin with it
     * @return the tables
     * @throws IllegalArgumentException if it is no plain name
     */
    public static LockSchema fenceline(String table) {
        return new LockSchema(new LockTable(table));
    }

    /**
     * Returns the tables of SyncGuard 2.x on PostgreSQL, so that its processes and ours keep each other out and spend tokens
     * of one counter. Both systems must use one database and name the same tables.
     *
     * <p>What this costs against our own tables: a lease counts for one second past its end, since it does for SyncGuard; holders
     * are not kept, so they are not told; waiters poll; nothing an operator does is audited; dead rows of keys that are locked no
     * more stay. {@code docs/backends.md} has the whole list.
     *
     * @param lockTable SyncGuard's {@code tableName}, which is {@code syncguard_locks} by default
     * @param fenceTable its {@code fenceTableName}, which is {@code syncguard_fence_counters} by default
     * @return the tables
     * @throws IllegalArgumentException if one is no plain name, or both are the same
     */
    public static LockSchema syncGuard(String lockTable, String fenceTable) {
        return new LockSchema(new SyncGuardTables(lockTable, fenceTable));
    }

    TableLayout layout() {
        return layout;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockSchema schema && schema.layout.equals(layout);
    }

    @Override
    public int hashCode() {
        return layout.hashCode();
    }

    /** Returns the names of the tables. */
    @Override
    public String toString() {
        return layout.toString();
    }
}
