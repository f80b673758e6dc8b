package io.fenceline.jdbc;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.Dialect;
import io.fenceline.jdbc.dialect.LockStatements;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.postgresql.PostgresDialect;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Locks in a table of a relational database: PostgreSQL 13 or later. */
public final class JdbcLockBackend implements LockBackend {

    private static final List<Dialect> DIALECTS = List.of(new PostgresDialect());

    private final LockStore store;
    private final Dialect dialect;
    private final LockStatements locks;

    private JdbcLockBackend(DataSource source, Dialect dialect, JdbcOptions options) {
        this.dialect = dialect;
        this.store = new LockStore(
                new Database(source, dialect, options.answerLimit()),
                new LockTable(options.table()),
                options.answerLimit(),
                options.redaction());
        this.locks = dialect.locks(store);
    }

    /**
     * Returns a backend on a database that the caller has. Asks the data source once, for the product.
     *
     * @param source gives connections; never closed by the backend
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws BackendException if the database cannot be reached
     * @throws IllegalArgumentException if the product is not known
     */
    public static JdbcLockBackend on(DataSource source, JdbcOptions options) {
        return new JdbcLockBackend(source, dialectOf(source), options);
    }

    private static Dialect dialectOf(DataSource source) {
        try (Connection connection = source.getConnection()) {
            String product = connection.getMetaData().getDatabaseProductName();
            return DIALECTS.stream()
                    .filter(dialect -> dialect.product().equals(product))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no locks on '" + product + "'; known are: "
                            + String.join(
                                    ", ",
                                    DIALECTS.stream().map(Dialect::product).toList())));
        } catch (SQLException e) {
            throw DIALECTS.get(0).errors().unreachable(e);
        }
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return store.database().change(connection -> locks.acquire(connection, request));
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        long ttlMillis = AcquireRequest.millisRoundedUp(AcquireRequest.requireTtl(ttl));
        return store.database().change(connection -> locks.extend(connection, key, lockId, ttlMillis));
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return store.database().change(connection -> locks.release(connection, key, lockId));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return store.database()
                .read(connection -> locks.running(connection, key))
                .map(lease -> lease.record(store.redaction()));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return store.database()
                .read(connection -> locks.running(connection, lockId))
                .map(lease -> lease.record(store.redaction()));
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return Stream.of(this, dialect.schema(store))
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    @Override
    public void close() {
        store.database().close();
    }
}
