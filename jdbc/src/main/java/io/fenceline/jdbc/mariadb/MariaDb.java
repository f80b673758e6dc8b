package io.fenceline.jdbc.mariadb;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.catalog.TableFenceCatalog;
import io.fenceline.jdbc.product.LockStatements;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.NoticeTable;
import io.fenceline.jdbc.product.OpenedDatabase;
import io.fenceline.jdbc.product.RequiredLibrary;
import io.fenceline.jdbc.product.StoreSchema;
import io.fenceline.jdbc.product.TableProduct;
import io.fenceline.jdbc.product.UriPool;
import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.WaiterNotices;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * MariaDB from version 10.5 on, with InnoDB. The driver of a store that is opened by its URI is MariaDB's; a data source may use
 * MySQL's.
 */
public class MariaDb extends TableProduct {

    private static final RequiredLibrary DRIVER =
            new RequiredLibrary("org.mariadb.jdbc:mariadb-java-client", "org.mariadb.jdbc", "org.mariadb.jdbc.Driver");

    private final String scheme;
    private final boolean replacesProcedures;

    /** Creates the product; called by {@link java.util.ServiceLoader}. */
    public MariaDb() {
        this("MariaDB", "mariadb", true);
    }

    /** Creates a product that is like MariaDB. */
    MariaDb(String name, String scheme, boolean replacesProcedures) {
        super(name, new MariaDbErrors(name), new MariaDbFenceDialect(name), DRIVER);
        this.scheme = scheme;
        this.replacesProcedures = replacesProcedures;
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
    public LockStatements statements(LockStore store) {
        return new MariaDbLocks(store);
    }

    @Override
    public FoundTables tables() {
        return MariaDbTables.FOUND;
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new MariaDbSchema(store, this, script(store.table()), replacesProcedures);
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new MariaDbCatalog(store);
    }

    @Override
    public Optional<FenceCatalog> fenceCatalog(LockStore store) {
        return Optional.of(new TableFenceCatalog(store, this));
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return new MariaDbDiagnosis(store, schema(store), name());
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
    protected OpenedDatabase connect(String uri) {
        MariaDbUri parsed = MariaDbUri.parse(uri, variable -> Objects.requireNonNullElse(System.getenv(variable), ""));
        return UriPool.open(parsed.jdbcUrl(), parsed.properties(), errors(), Optional.empty(), parsed.table());
    }
}
