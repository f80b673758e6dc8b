package io.fenceline.jdbc;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.jdbc.product.BulkExtensionStatement;
import io.fenceline.jdbc.product.ConnectionSource;
import io.fenceline.jdbc.product.Database;
import io.fenceline.jdbc.product.ListenConnectionSource;
import io.fenceline.jdbc.product.LockDialect;
import io.fenceline.jdbc.product.LockStatements;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.OpenedDatabase;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.product.RunningLease;
import io.fenceline.jdbc.product.TableLayout;
import io.fenceline.jdbc.product.TablesOnDemand;
import io.fenceline.jdbc.product.WaiterSignals;
import io.fenceline.jdbc.product.YieldPauses;
import io.fenceline.jdbc.sql.DriverErrors;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Locks in a table of a relational database: PostgreSQL 13 or later, MariaDB 10.5 or later, MySQL 8.0.29 or later, H2 2.5 or later.
 * What each of them was tested on and what it keeps is in {@code docs/backends.md}; MySQL was not run.
 *
 * <p>Each operation is one round trip on a connection of its own that commits by itself (on H2, which is within the process, up to a
 * few statements): never part of the caller's transaction, whatever the default isolation level. Leases end by the database's clock,
 * read after the row is locked. What is granted, extended, raised or released by force is as durable when the call returns as the
 * database was told to be; on PostgreSQL an ordinary release may be undone by a crash of the server, the lease then runs to its end. Nothing
 * is left on a connection.
 *
 * <p>A database that does not answer fails a call after {@link JdbcOptions#answerLimit}, and an attempt after {@link
 * AcquireRequest#timeout} where that is shorter. That includes the wait for a connection if the data source is a HikariCP pool;
 * another data source's own limit for that comes on top, and is best short.
 *
 * <p>A connection whose server cannot serve, for instance because it is read-only since a switchover, is closed ({@link
 * Connection#abort}) before it goes back to the data source.
 *
 * <p>On PostgreSQL waiters are told of releases on a connection that is taken from the data source when the first one waits and given
 * back soon after the last ({@link JdbcOptions#withSignalsFrom}); on the others they poll. Two processes keep each other out if they
 * use one table.
 */
public final class JdbcLockBackend implements LockBackend {

    private final LockStore store;
    private final LockStatements locks;
    private final Optional<WaiterSignals> signals;
    private final YieldPauses pauses = new YieldPauses();
    private final List<Object> abilities;
    private final Runnable closing;

    private JdbcLockBackend(
            LockDialect dialect, LockStore store, Optional<ListenConnectionSource> line, Runnable closing) {
        this(dialect, store, dialect.schema(store), line, closing);
    }

    private JdbcLockBackend(
            LockDialect dialect,
            LockStore store,
            SchemaControl schema,
            Optional<ListenConnectionSource> line,
            Runnable closing) {
        this.store = store;
        this.locks = dialect.statements(store);
        this.signals = line.flatMap(given -> dialect.signals(store, given));
        this.abilities = Stream.of(
                        Stream.of(this, dialect.catalog(store), schema, dialect.diagnosis(store)),
                        dialect.fenceCatalog(store).stream(),
                        dialect.triggers(store).stream(),
                        signals.stream(),
                        dialect.notices(store).stream(),
                        dialect.succession(store).stream()
                                .map(statement -> new JdbcSuccession(store.database(), statement, signals, pauses)),
                        dialect.bulkExtension(store).stream().map(this::bulkExtension))
                .flatMap(found -> found)
                .map(Object.class::cast)
                .toList();
        this.closing = closing;
    }

    private BulkExtension bulkExtension(BulkExtensionStatement statement) {
        return extensions -> extensions.isEmpty()
                ? List.of()
                : store.database().change(connection -> statement.extendAll(connection, extensions));
    }

    /**
     * Returns a backend on a database that the caller has. Asks the data source once, for the product, and makes no tables. Waiters poll where it is a
     * HikariCP pool of one connection, which cannot be kept to listen for signals.
     *
     * @param source gives connections; never closed by the backend
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws BackendException if the database cannot be reached
     * @throws IllegalArgumentException if the product is not known, or cannot have the tables that the options name
     */
    public static JdbcLockBackend on(DataSource source, JdbcOptions options) {
        TableLayout layout = options.schema().layout();
        LockDialect dialect = layout.of(dialectOf(source));
        boolean canListen = options.signalSource().isPresent() || !ConnectionSource.isOfOneConnection(source);
        Optional<ListenConnectionSource> line = Optional.of(
                        ListenConnectionSource.from(options.signalSource().orElse(source)))
                .filter(wanted -> options.signals() && canListen);
        return new JdbcLockBackend(dialect, store(dialect, source, layout, options), line, () -> {});
    }

    /**
     * Returns a backend on a database that it closes. Looks at the tables and makes none; those that are missing are made before the first
     * change if the role may make them, but for the tables of another program.
     */
    static JdbcLockBackend opened(LockDialect product, OpenedDatabase database, JdbcOptions options) {
        try {
            LockDialect dialect = database.layout().of(product);
            LockStore asItIs = store(dialect, database.source(), database.layout(), options)
                    .onPlatformThreads();
            TablesOnDemand tables = new TablesOnDemand(dialect.schema(asItIs), database.making());
            return new JdbcLockBackend(
                    dialect,
                    database.layout().isShared() ? asItIs : asItIs.making(tables),
                    tables,
                    database.signals(),
                    database.closing());
        } catch (RuntimeException e) {
            database.closing().run();
            throw e;
        }
    }

    private static LockStore store(LockDialect dialect, DataSource source, TableLayout layout, JdbcOptions options) {
        return new LockStore(
                new Database(source, dialect, options.answerLimit()),
                layout.table(),
                options.answerLimit(),
                options.redaction());
    }

    private static LockDialect dialectOf(DataSource source) {
        try (Connection connection = ConnectionSource.of(source).open(Integer.MAX_VALUE)) {
            return Products.locksOn(connection.getMetaData().getDatabaseProductName());
        } catch (SQLException e) {
            throw DriverErrors.ofUnknownProduct().unreachable(e);
        }
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        if (signals.isEmpty() || request.maxWait().isZero()) {
            return ask(request);
        }
        long heard = signals.get().heard(request.key());
        Acquisition answer = ask(request);
        if (answer instanceof Contended) {
            signals.get().refused(request.key(), request.lockId(), heard);
        }
        return answer;
    }

    private Acquisition ask(AcquireRequest request) {
        Acquisition answer =
                store.database().change(request.timeout(), connection -> locks.acquire(connection, request));
        if (answer instanceof Granted granted) {
            pauses.granted(request.key(), granted.grant().token().value());
        }
        return answer;
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        long ttlMillis = AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl));
        return store.database().change(connection -> locks.extend(connection, key, lockId, ttlMillis));
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return store.database().change(connection -> locks.release(connection, key, lockId));
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        long restMillis = Checks.restMillis(rest);
        return store.database().change(connection -> locks.releaseAfter(connection, key, lockId, restMillis));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return store.database()
                .read(connection -> locks.running(connection, key), Optional.<RunningLease>empty())
                .map(lease -> lease.record(store.redaction()));
    }

    /** {@inheritDoc} In our own tables this reads all rows, since an index on lock ids would make every acquire dearer. */
    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return store.database()
                .read(connection -> locks.running(connection, lockId), Optional.<RunningLease>empty())
                .map(lease -> lease.record(store.redaction()));
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return abilities.stream().filter(type::isInstance).map(type::cast).findFirst();
    }

    @Override
    public void close() {
        if (store.database().close()) {
            signals.ifPresent(WaiterSignals::close);
            closing.run();
        }
    }
}
