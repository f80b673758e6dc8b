package io.fenceline.jdbc.syncguard;

import io.fenceline.jdbc.dialect.Dialect;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.OpenedDatabase;
import io.fenceline.jdbc.dialect.SignalLine;
import io.fenceline.jdbc.dialect.SqlErrors;
import io.fenceline.jdbc.dialect.StoreSchema;
import io.fenceline.jdbc.dialect.SuccessionStatement;
import io.fenceline.jdbc.dialect.WaiterSignals;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/**
 * PostgreSQL with SyncGuard's tables. No signals: SyncGuard tells nobody of its releases, and a waiter that relied on being told
 * would sleep through them.
 */
final class SyncGuardDialect implements Dialect {

    private final Dialect product;
    private final SyncGuardTables tables;

    SyncGuardDialect(Dialect product, SyncGuardTables tables) {
        this.product = product;
        this.tables = tables;
    }

    @Override
    public String product() {
        return product.product();
    }

    @Override
    public SqlErrors errors() {
        return new SyncGuardErrors(product.errors());
    }

    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return product.isInTransaction(connection);
    }

    @Override
    public LockStatements locks(LockStore store) {
        return new SyncGuardLocks(store, tables);
    }

    @Override
    public Optional<SuccessionStatement> succession(LockStore store) {
        return Optional.empty();
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new SyncGuardSchema(store.database(), tables);
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new SyncGuardCatalog(store, tables);
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return new SyncGuardDiagnosis(product.diagnosis(store), store.database(), tables);
    }

    @Override
    public Optional<WaiterSignals> signals(LockStore store, SignalLine line) {
        return Optional.empty();
    }

    @Override
    public Set<String> schemes() {
        return product.schemes();
    }

    @Override
    public String usage() {
        return product.usage();
    }

    @Override
    public OpenedDatabase open(String uri) {
        return product.open(uri);
    }
}
