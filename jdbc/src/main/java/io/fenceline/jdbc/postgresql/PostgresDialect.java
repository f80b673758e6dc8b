package io.fenceline.jdbc.postgresql;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.dialect.Dialect;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.OpenedDatabase;
import io.fenceline.jdbc.dialect.SignalLine;
import io.fenceline.jdbc.dialect.SqlErrors;
import io.fenceline.jdbc.dialect.StoreSchema;
import io.fenceline.jdbc.dialect.SuccessionStatement;
import io.fenceline.jdbc.dialect.UriPool;
import io.fenceline.jdbc.dialect.WaiterSignals;
import io.fenceline.jdbc.guard.FenceTable;
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
public final class PostgresDialect implements Dialect {

    private final PostgresErrors errors = new PostgresErrors();

    /** Creates the dialect. */
    public PostgresDialect() {}

    @Override
    public String product() {
        return "PostgreSQL";
    }

    @Override
    public SqlErrors errors() {
        return errors;
    }

    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE
                : !connection.getAutoCommit();
    }

    @Override
    public LockStatements locks(LockStore store) {
        return new PostgresLocks(store);
    }

    @Override
    public Optional<SuccessionStatement> succession(LockStore store) {
        return Optional.of(new PostgresSuccession(store));
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new PostgresSchema(store.database(), store.table());
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new PostgresCatalog(store);
    }

    @Override
    public Optional<FenceCatalog> fences(LockStore store) {
        return Optional.of(new PostgresFenceCatalog(store));
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
    public Optional<WaiterSignals> signals(LockStore store, SignalLine line) {
        return Optional.of(new PostgresSignals(store.table(), line));
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
    public OpenedDatabase open(String uri) {
        try {
            PostgresUri parsed = PostgresUri.parse(uri, name -> Objects.requireNonNullElse(System.getenv(name), ""));
            return UriPool.open(
                    parsed.jdbcUrl(),
                    parsed.properties(),
                    errors,
                    parsed.signals() ? Optional.of(new WakeableLine(parsed)) : Optional.empty(),
                    parsed.layout());
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "a postgresql: URI needs the driver and a pool; add org.postgresql:postgresql and"
                            + " com.zaxxer:HikariCP, or use JdbcLockBackend.on(dataSource, options)",
                    e);
        }
    }
}
