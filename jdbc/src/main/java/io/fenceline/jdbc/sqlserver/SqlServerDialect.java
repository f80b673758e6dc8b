package io.fenceline.jdbc.sqlserver;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.catalog.TableFenceCatalog;
import io.fenceline.jdbc.dialect.Dialect;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.OpenedDatabase;
import io.fenceline.jdbc.dialect.SignalLine;
import io.fenceline.jdbc.dialect.SqlErrors;
import io.fenceline.jdbc.dialect.StoreSchema;
import io.fenceline.jdbc.dialect.SuccessionStatement;
import io.fenceline.jdbc.dialect.WaiterSignals;
import io.fenceline.jdbc.guard.FenceDialect;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/**
 * SQL Server from version 2016 on.
 *
 * <p><b>It has never been run against a server.</b> Our tests run its queries and changes, one by one, on H2 in its SQL Server mode,
 * which knows the syntax and ignores the locking hints: what the statements decide is shown, what they lock is not, and neither are the
 * batches as such, the errors and the examination. Whoever has a server runs the whole contract on it by naming its JDBC URL in the
 * environment variable {@code FENCELINE_TEST_SQLSERVER_URL}, and should, before relying on it.
 */
public final class SqlServerDialect implements Dialect {

    /** The time in microseconds. It is one time throughout a statement, from its beginning. */
    public static final String NOW = "DATEDIFF_BIG(MICROSECOND, '1970-01-01', SYSUTCDATETIME())";

    private final SqlServerErrors errors = new SqlServerErrors();

    /** Creates the dialect. */
    public SqlServerDialect() {}

    @Override
    public String product() {
        return "Microsoft SQL Server";
    }

    @Override
    public SqlErrors errors() {
        return errors;
    }

    /** {@inheritDoc} The driver does not tell, so a connection has to commit by itself. */
    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return !connection.getAutoCommit();
    }

    @Override
    public LockStatements locks(LockStore store) {
        return new SqlServerLocks(store);
    }

    @Override
    public Optional<SuccessionStatement> succession(LockStore store) {
        return Optional.empty();
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new SqlServerSchema(store.database(), store.table());
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new SqlServerCatalog(store);
    }

    @Override
    public Optional<FenceCatalog> fences(LockStore store) {
        return Optional.of(new TableFenceCatalog(store, FenceDialect.sqlServer()));
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return new SqlServerDiagnosis(store, schema(store));
    }

    @Override
    public Optional<WaiterSignals> signals(LockStore store, SignalLine line) {
        return Optional.empty();
    }

    @Override
    public Set<String> schemes() {
        return Set.of("sqlserver");
    }

    @Override
    public String usage() {
        return "sqlserver://USER@HOST:PORT/DATABASE";
    }

    @Override
    public OpenedDatabase open(String uri) {
        SqlServerUri parsed = SqlServerUri.parse(uri);
        try {
            return SqlServerPool.open(parsed, errors);
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "a sqlserver: URI needs the driver and a pool; add com.microsoft.sqlserver:mssql-jdbc and"
                            + " com.zaxxer:HikariCP, or use JdbcLockBackend.on(dataSource, options)",
                    e);
        }
    }
}
