package io.fenceline.jdbc.syncguard;

import io.fenceline.jdbc.product.LockDialect;
import io.fenceline.jdbc.product.LockStatements;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.OpenedDatabase;
import io.fenceline.jdbc.product.Product;
import io.fenceline.jdbc.product.StoreSchema;
import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.jdbc.sql.SqlErrors;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import java.util.Set;

/**
 * PostgreSQL with SyncGuard's tables. No signals: SyncGuard tells nobody of its releases, and a waiter that relied on being told
 * would sleep through them.
 */
final class SyncGuardDialect implements LockDialect {

    private final LockDialect locks;
    private final SyncGuardTables tables;

    SyncGuardDialect(LockDialect locks, SyncGuardTables tables) {
        this.locks = locks;
        this.tables = tables;
    }

    @Override
    public Product product() {
        return locks.product();
    }

    @Override
    public SqlErrors errors() {
        return new SyncGuardErrors(locks.errors());
    }

    @Override
    public LockStatements statements(LockStore store) {
        return new SyncGuardLocks(store, tables);
    }

    @Override
    public FoundTables tables() {
        return locks.tables();
    }

    @Override
    public String schemaPreamble() {
        return locks.schemaPreamble();
    }

    @Override
    public String script(LockTable table) {
        return SyncGuardSchema.script(tables);
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new SyncGuardSchema(store.database(), this, tables);
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new SyncGuardCatalog(store, tables);
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return new SyncGuardDiagnosis(locks.diagnosis(store), store.database(), schema(store), tables);
    }

    @Override
    public Set<String> schemes() {
        return locks.schemes();
    }

    @Override
    public String usage() {
        return locks.usage();
    }

    @Override
    public OpenedDatabase open(String uri) {
        return locks.open(uri);
    }
}
