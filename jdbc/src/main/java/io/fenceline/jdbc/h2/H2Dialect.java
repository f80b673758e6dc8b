package io.fenceline.jdbc.h2;

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
import io.fenceline.jdbc.dialect.WaiterSignals;
import io.fenceline.jdbc.guard.FenceDialect;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.WaiterNotices;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.h2.jdbc.JdbcConnection;

/**
 * H2 from version 2.5 on. Meant for a database within the process: there a statement costs no round trip, so an acquire may take two
 * or three. With its defaults H2 writes half a second late and forgets acknowledged tokens when its process is killed: open it
 * with {@code WRITE_DELAY=0}, as an {@code h2:} URI does.
 */
public final class H2Dialect implements Dialect {

    private final H2Errors errors = new H2Errors();

    /** Creates the dialect. */
    public H2Dialect() {}

    @Override
    public String product() {
        return "H2";
    }

    @Override
    public SqlErrors errors() {
        return errors;
    }

    /** {@inheritDoc} A connection to another process does not tell, so it has to commit by itself. */
    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return !connection.getAutoCommit()
                && (!connection.isWrapperFor(JdbcConnection.class)
                        || connection.unwrap(JdbcConnection.class).getSession().hasPendingTransaction());
    }

    @Override
    public LockStatements locks(LockStore store) {
        return new H2Locks(store);
    }

    @Override
    public Optional<SuccessionStatement> succession(LockStore store) {
        return Optional.empty();
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new H2Schema(store.database(), store.table());
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new H2Catalog(store);
    }

    @Override
    public Optional<FenceCatalog> fences(LockStore store) {
        return Optional.of(new TableFenceCatalog(store, FenceDialect.h2()));
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return new H2Diagnosis(store, schema(store));
    }

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
        return Set.of("h2");
    }

    @Override
    public String usage() {
        return "h2:PATH";
    }

    @Override
    public OpenedDatabase open(String uri) {
        H2Uri parsed = H2Uri.parse(uri);
        try {
            return H2Pool.open(parsed, errors);
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "an h2: URI needs the database and a pool; add com.h2database:h2 and com.zaxxer:HikariCP, or use"
                            + " JdbcLockBackend.on(dataSource, options)",
                    e);
        }
    }
}
