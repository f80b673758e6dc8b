package io.fenceline.jdbc.mariadb;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.catalog.TableFenceCatalog;
import io.fenceline.jdbc.dialect.Dialect;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.NoticeTable;
import io.fenceline.jdbc.dialect.OpenedDatabase;
import io.fenceline.jdbc.dialect.SignalLine;
import io.fenceline.jdbc.dialect.SqlErrors;
import io.fenceline.jdbc.dialect.StoreSchema;
import io.fenceline.jdbc.dialect.SuccessionStatement;
import io.fenceline.jdbc.dialect.UriPool;
import io.fenceline.jdbc.dialect.WaiterSignals;
import io.fenceline.jdbc.guard.FenceDialect;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.WaiterNotices;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * MariaDB from version 10.5 on and MySQL from 8.0.29 on, with InnoDB. The procedures are the same for both, and so is the driver
 * of a store that is opened by its URI; a data source may use either's.
 */
public final class MariaDbDialect implements Dialect {

    private static final String MARIADB = "MariaDB";

    private final String product;
    private final String scheme;
    private final boolean isMariaDb;
    private final MariaDbErrors errors;

    /** Asked for when it is needed, since it needs this one. */
    private final Supplier<FenceDialect> fences;

    private MariaDbDialect(String product, String scheme, Supplier<FenceDialect> fences) {
        this.product = product;
        this.scheme = scheme;
        this.fences = fences;
        this.isMariaDb = MARIADB.equals(product);
        this.errors = new MariaDbErrors(product);
    }

    /**
     * Returns the dialect of MariaDB, on which it is tested.
     *
     * @return the dialect
     */
    public static MariaDbDialect mariaDb() {
        return new MariaDbDialect(MARIADB, "mariadb", FenceDialect::mariaDb);
    }

    /**
     * Returns the dialect of MySQL, in which nothing is special to MariaDB.
     *
     * @return the dialect
     */
    public static MariaDbDialect mySql() {
        return new MariaDbDialect("MySQL", "mysql", FenceDialect::mySql);
    }

    @Override
    public String product() {
        return product;
    }

    @Override
    public SqlErrors errors() {
        return errors;
    }

    /**
     * {@inheritDoc} MariaDB's driver knows what the server said last; another's is trusted only if it commits by itself. After an
     * error the driver assumes a transaction until the server speaks again, so in that case the server is asked.
     */
    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        if (!ServerState.isKnown(connection)) {
            return !connection.getAutoCommit();
        }
        if (!ServerState.isInTransaction(connection)) {
            return false;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("DO 0");
        }
        return ServerState.isInTransaction(connection);
    }

    @Override
    public LockStatements locks(LockStore store) {
        return new MariaDbLocks(store);
    }

    @Override
    public Optional<SuccessionStatement> succession(LockStore store) {
        return Optional.empty();
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new MariaDbSchema(store.database(), store.table(), fences.get(), isMariaDb);
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new MariaDbCatalog(store);
    }

    @Override
    public Optional<FenceCatalog> fences(LockStore store) {
        return Optional.of(new TableFenceCatalog(store, fences.get()));
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return new MariaDbDiagnosis(store, schema(store), product);
    }

    /** {@inheritDoc} The server cannot tell a client anything that did not ask, so waiters poll. */
    @Override
    public Optional<WaiterSignals> signals(LockStore store, SignalLine line) {
        return Optional.empty();
    }

    @Override
    public Optional<WaiterNotices> notices(LockStore store) {
        return Optional.of(new NoticeTable(store));
    }

    @Override
    public Set<String> schemes() {
        return Set.of(scheme);
    }

    @Override
    public String usage() {
        return scheme + "://USER@HOST:PORT/DATABASE";
    }

    @Override
    public OpenedDatabase open(String uri) {
        try {
            MariaDbUri parsed = MariaDbUri.parse(uri, name -> Objects.requireNonNullElse(System.getenv(name), ""));
            return UriPool.open(parsed.jdbcUrl(), parsed.properties(), errors, Optional.empty(), parsed.table());
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "a " + scheme + ": URI needs the driver and a pool; add org.mariadb.jdbc:mariadb-java-client and"
                            + " com.zaxxer:HikariCP, or use JdbcLockBackend.on(dataSource, options)",
                    e);
        }
    }
}
