package io.fenceline.jdbc.h2;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.catalog.TableFenceCatalog;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.NoticeTable;
import io.fenceline.jdbc.product.OpenedDatabase;
import io.fenceline.jdbc.product.RequiredLibrary;
import io.fenceline.jdbc.product.TableProduct;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.WaiterNotices;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.h2.jdbc.JdbcConnection;

/**
 * H2 from version 2.5 on, within this process or over its own server. Fences outlive a process that is killed only with {@code
 * WRITE_DELAY=0}.
 */
public final class H2 extends TableProduct {

    private static final RequiredLibrary DRIVER =
            new RequiredLibrary("com.h2database:h2", "com.h2database", "org.h2.Driver");

    /** Creates the product; called by {@link java.util.ServiceLoader}. */
    public H2() {
        super("H2", new H2Errors(), new H2FenceDialect(), DRIVER);
    }

    /** {@inheritDoc} Remote connections do not expose their transaction's state, so only those with auto-commit on are accepted. */
    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        try {
            return !connection.getAutoCommit()
                    && (!connection.isWrapperFor(JdbcConnection.class)
                            || connection
                                    .unwrap(JdbcConnection.class)
                                    .getSession()
                                    .hasPendingTransaction());
        } catch (RuntimeException e) { // H2's DbException; to name it here would need H2 on every class path
            if (e.getCause() instanceof SQLException broken) {
                throw broken;
            }
            throw e;
        }
    }

    @Override
    public Optional<FenceCatalog> fenceCatalog(LockStore store) {
        return Optional.of(new TableFenceCatalog(store, this));
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return new H2Diagnosis(store, schema(store), sql.sql("settings"));
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
    protected OpenedDatabase connect(String uri) {
        H2Uri parsed = H2Uri.parse(uri);
        return H2Pool.open(parsed, errors());
    }
}
