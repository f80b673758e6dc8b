package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spring.boot.FencelineProperties;
import io.fenceline.spring.boot.FencelineProperties.Store;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;

/** Locks in the application's database. */
final class JdbcBackendSource implements BackendSource {

    private final FencelineProperties.Jdbc properties;
    private final ObjectProvider<DataSource> all;
    private final ObjectProvider<DataSource> marked;

    JdbcBackendSource(
            FencelineProperties.Jdbc properties, ObjectProvider<DataSource> all, ObjectProvider<DataSource> marked) {
        this.properties = properties;
        this.all = all;
        this.marked = marked;
    }

    @Override
    public Store store() {
        return Store.JDBC;
    }

    @Override
    public boolean isAvailable() {
        return found().isPresent();
    }

    @Override
    public LockBackend open() {
        DataSource application = found().orElseThrow();
        ApplicationDataSource.refuseRouting(
                application,
                marked,
                "locks of its own: mark the DataSource of the locks with @FencelineDataSource, or set fenceline.uri");
        LockPool pool = LockPool.of(application, properties.pool());
        try {
            JdbcLockBackend backend = JdbcLockBackend.on(pool.source(), options());
            SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();
            TableSetup.prepare("locks", schema, properties.initializeSchema(), pool.source());
            return new PooledLockBackend(backend, pool);
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    private Optional<DataSource> found() {
        ApplicationDataSource.refuseSeveral(marked);
        return ApplicationDataSource.firstOf(marked.getIfUnique(), all);
    }

    /** A single connection cannot both listen for releases and lock. */
    private JdbcOptions options() {
        JdbcOptions options = JdbcOptions.defaults();
        return properties.pool().size() == 1 ? options.withoutSignals() : options;
    }
}
