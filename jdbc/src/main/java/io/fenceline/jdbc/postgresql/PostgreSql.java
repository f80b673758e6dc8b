package io.fenceline.jdbc.postgresql;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.product.BulkExtensionStatement;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.product.ListenConnectionSource;
import io.fenceline.jdbc.product.LockStatements;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.OpenedDatabase;
import io.fenceline.jdbc.product.RequiredLibrary;
import io.fenceline.jdbc.product.StoreSchema;
import io.fenceline.jdbc.product.SuccessionStatement;
import io.fenceline.jdbc.product.TableProduct;
import io.fenceline.jdbc.product.UriPool;
import io.fenceline.jdbc.product.WaiterSignals;
import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** PostgreSQL through its own driver, from version 13 on. */
public final class PostgreSql extends TableProduct {

    private static final RequiredLibrary DRIVER =
            new RequiredLibrary("org.postgresql:postgresql", "org.postgresql.jdbc", "org.postgresql.Driver");

    private static final SqlFile OUTBOX = SqlFile.of(PostgreSql.class, "outbox-statements.sql");

    /** Creates the product; called by {@link java.util.ServiceLoader}. */
    public PostgreSql() {
        super("PostgreSQL", new PostgresErrors(), new PostgresFenceDialect(), DRIVER);
    }

    @Override
    public Optional<SqlFile> outbox() {
        return Optional.of(OUTBOX);
    }

    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE
                : !connection.getAutoCommit();
    }

    @Override
    public LockStatements statements(LockStore store) {
        return new PostgresLocks(store);
    }

    @Override
    public Optional<SuccessionStatement> succession(LockStore store) {
        return Optional.of(new PostgresSuccession(store));
    }

    @Override
    public Optional<BulkExtensionStatement> bulkExtension(LockStore store) {
        return Optional.of(new PostgresBulkExtension(store, errors()));
    }

    @Override
    public FoundTables tables() {
        return PostgresTables.FOUND;
    }

    /**
     * {@inheritDoc} Two that make one table at a moment fail on its name, {@code IF NOT EXISTS} or not. At a stricter isolation level the script would
     * see nothing of what the other has made.
     */
    @Override
    public String schemaPreamble() {
        return "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;\nSELECT pg_advisory_xact_lock(hashtextextended('fenceline schema', 0));\n";
    }

    @Override
    protected String locksScript(LockTable table) {
        return super.locksScript(table) + "\n" + SchemaFunctions.beside(table).script();
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new PostgresSchema(store, this);
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new PostgresCatalog(store);
    }

    @Override
    public Optional<FenceCatalog> fenceCatalog(LockStore store) {
        return Optional.of(new PostgresFenceCatalog(store, this));
    }

    @Override
    public Optional<TriggerControl> triggers(LockStore store) {
        return Optional.of(new PostgresTriggerControl(
                store.database(), FenceTable.beside(store.table().name())));
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return new PostgresDiagnosis(store, schema(store));
    }

    @Override
    public Optional<WaiterSignals> signals(LockStore store, ListenConnectionSource connections) {
        return Optional.of(new PostgresSignals(store.table(), connections));
    }

    @Override
    public Set<String> schemes() {
        return Set.of("postgresql", "postgres");
    }

    @Override
    public String usage() {
        return "postgresql://USER@HOST:PORT/DATABASE";
    }

    @Override
    protected OpenedDatabase connect(String uri) {
        PostgresUri parsed = PostgresUri.parse(uri, name -> Objects.requireNonNullElse(System.getenv(name), ""));
        return UriPool.open(
                parsed.jdbcUrl(),
                parsed.properties(),
                errors(),
                parsed.signals() ? Optional.of(new WakeableConnectionSource(parsed)) : Optional.empty(),
                parsed.layout());
    }
}
