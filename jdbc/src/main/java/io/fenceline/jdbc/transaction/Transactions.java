package io.fenceline.jdbc.transaction;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.product.Product;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.product.TransactionCheck;
import io.fenceline.jdbc.sql.DriverErrors;
import io.fenceline.jdbc.sql.HeldFences;
import io.fenceline.jdbc.sql.OwnTransaction;
import io.fenceline.jdbc.sql.SqlWork;
import io.fenceline.time.Delays;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that a guard begins, ends, and repeats after a conflict, each on a connection of its own that is afterwards as
 * it was.
 */
public final class Transactions {

    private final DataSource source;
    private final int maxRetries;
    private final String table;
    private final boolean autoCommitOff;
    private final Delays delays = Delays.system();

    /** Found out with the first connection if it was not given. All connections are of one product. */
    private volatile @Nullable Product product;

    /** The database's address, known from the first connection on. */
    private volatile @Nullable String database;

    /**
     * Creates the transactions of a guard.
     *
     * @param product its name; if empty, what the driver says
     * @param autoCommitOff whether a connection with auto-commit off, and nothing begun, is idle
     */
    public Transactions(DataSource source, Optional<String> product, String table, int retries, boolean autoCommitOff) {
        this.source = source;
        this.product = product.map(Products::named).orElse(null);
        this.table = table;
        this.maxRetries = retries;
        this.autoCommitOff = autoCommitOff;
    }

    /** The work in a transaction, which may throw {@code X} beside database errors. */
    @FunctionalInterface
    public interface Body<T, X extends Exception> {

        /** Does the work. */
        T on(Connection connection) throws SQLException, X;
    }

    /**
     * Takes a fence, and if that is accepted runs the body and commits.
     *
     * @throws SQLException if the body throws it, or wrote what a deferred constraint refuses
     * @throws X if the body throws it
     */
    public <T, X extends Exception> GuardedResult<T> run(
            String resource, FenceStamp stamp, SqlWork<Verdict> admission, Body<T, X> body) throws SQLException, X {
        return run(
                resource,
                admission,
                connection -> {
                    HeldFences.hold(address(connection), table, resource);
                    try {
                        Product product = product(connection);
                        Optional<FenceStamp> before = product.fences().show(connection, stamp, resource);
                        T result = body.on(GuardedConnection.of(connection));
                        product.fences().hide(connection, before);
                        return result;
                    } finally {
                        HeldFences.release(address(connection), table, resource);
                    }
                },
                (connection, product) -> translating(product, product.fences()::watch, connection));
    }

    private <T, X extends Exception> GuardedResult<T> run(
            @Nullable String resource,
            SqlWork<Verdict> admission,
            Body<T, X> body,
            Work<TransactionCheck, RuntimeException> watching)
            throws SQLException, X {
        return repeated(resource, true, (connection, product) -> {
            OwnTransaction own = begin(connection, product);
            try {
                Verdict verdict = translating(product, admission, connection);
                if (!verdict.isAccepted()) {
                    if (product.fences().commitsRefusals()) {
                        commit(own, product, () -> {});
                    }
                    return new GuardedResult<>(verdict, null);
                }
                TransactionCheck transaction = watching.on(connection, product);
                T result = body.on(connection);
                commit(own, product, transaction);
                return new GuardedResult<>(verdict, result);
            } finally {
                end(own, connection);
            }
        });
    }

    /** Takes a fence and commits. */
    public GuardedResult<Verdict> admit(String resource, SqlWork<Verdict> admission) {
        return runOwn(resource, admission, connection -> new Verdict.Accepted());
    }

    /** Does our own work in a transaction; what fails in it is undone. */
    public <T> T atomically(SqlWork<T> work) {
        return runOwn(null, connection -> new Verdict.Accepted(), work).accepted();
    }

    /** Takes a fence, and if that is accepted does our own work, whose errors are the store's and are all passed on. */
    public <T> GuardedResult<T> runOwn(@Nullable String resource, SqlWork<Verdict> admission, SqlWork<T> work) {
        return withoutSqlException(() -> this.<T, RuntimeException>run(
                resource,
                admission,
                connection -> translating(product(connection), work, connection),
                (connection, product) -> () -> {}));
    }

    /** Runs one statement that commits by itself. */
    public <T> T single(SqlWork<T> work, Effect unclear) {
        return withoutSqlException(() ->
                this.<T, RuntimeException>repeated(null, unclear != Effect.NONE, (connection, product) -> {
                    boolean autoCommit = connection.getAutoCommit();
                    try {
                        connection.setAutoCommit(true);
                        return work.on(connection);
                    } catch (SQLException e) {
                        throw product.errors().failed(e, unclear);
                    } finally {
                        quietly(() -> {
                            if (!autoCommit) {
                                connection.setAutoCommit(false);
                            }
                        });
                    }
                }));
    }

    /** Runs one statement that changes nothing. */
    public <T> T read(SqlWork<T> work) {
        return single(work, Effect.NONE);
    }

    /** Returns the product; asks for a connection if it is not known yet. */
    public Product product() {
        Product known = product;
        return known != null ? known : read(this::product);
    }

    /** Returns the product of a connection that the caller has; asks for no other one. */
    public Product product(Connection connection) throws SQLException {
        Product known = product;
        if (known == null) {
            known = Products.of(connection);
            product = known;
        }
        return known;
    }

    private <T, X extends Exception> T repeated(@Nullable String resource, boolean changes, Work<T, X> work)
            throws SQLException, X {
        ConflictRetries retries = new ConflictRetries(maxRetries, delays);
        while (true) {
            try {
                return connected(resource, changes, work);
            } catch (Exception e) {
                Product known = product;
                if (known == null || !ConflictRetries.isConflict(e, known.fences())) {
                    throw e;
                }
                retries.pauseOrGiveUp(e);
            }
        }
    }

    private <T, X extends Exception> T connected(@Nullable String resource, boolean changes, Work<T, X> work)
            throws SQLException, X {
        String known = database;
        if (known != null) {
            ensureFree(known, resource, changes); // before a connection is asked for: the pool may have no other
        }
        Connection connection = connect();
        try {
            Product product;
            try {
                product = product(connection);
                ensureIdle(connection, product);
                ensureFree(address(connection), resource, changes);
            } catch (SQLException e) {
                throw unreachable(e);
            }
            return work.on(connection, product);
        } finally {
            quietly(connection::close);
        }
    }

    private void ensureFree(String address, @Nullable String resource, boolean changes) {
        if (resource != null) {
            HeldFences.ensureFree(address, table, resource);
        } else if (changes) {
            HeldFences.ensureNoOtherWriter(address);
        }
    }

    private String address(Connection connection) throws SQLException {
        String known = database;
        if (known == null) {
            known = HeldFences.database(connection);
            database = known;
        }
        return known;
    }

    /** To commit here would end what the caller, or a framework for it, has begun. */
    private void ensureIdle(Connection connection, Product product) throws SQLException {
        if ((!connection.getAutoCommit() && !autoCommitOff) || product.isInTransaction(connection)) {
            throw new BackendException(
                    ErrorCode.MISCONFIGURED,
                    Effect.NONE,
                    "the data source gave a connection that is in a transaction, or whose auto-commit is off, which is"
                            + " somebody else's transaction: to write in it use enter(connection, resource, stamp) and its"
                            + " connection; else give the guard a data source that is not bound to it. If a pool turns"
                            + " auto-commit off and begins nothing, say GuardOptions.withAutoCommitOff()",
                    null);
        }
    }

    private static OwnTransaction begin(Connection connection, Product product) {
        try {
            return OwnTransaction.begin(connection);
        } catch (SQLException e) {
            throw product.errors().failed(e, Effect.NONE);
        }
    }

    /**
     * Commits.
     *
     * @throws SQLException if the body wrote what a deferred constraint refuses: its error, as that of an immediate one is
     */
    private static void commit(OwnTransaction own, Product product, TransactionCheck transaction) throws SQLException {
        try {
            transaction.ensure();
        } catch (SQLException e) {
            throw product.errors().failed(e, Effect.NONE);
        }
        try {
            own.commit();
        } catch (SQLException e) {
            if (product.errors().isViolation(e)) {
                throw e;
            }
            throw product.errors().failed(e, Effect.UNKNOWN);
        }
    }

    private Connection connect() {
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw unreachable(e);
        } catch (RuntimeException e) {
            // Pools that connect for the first time wrap what went wrong.
            if (e.getCause() instanceof SQLException cause) {
                throw unreachable(cause);
            }
            throw e;
        }
    }

    private BackendException unreachable(SQLException e) {
        Product known = product;
        return (known != null ? known.errors() : DriverErrors.ofUnknownProduct()).unreachable(e);
    }

    /** To turn auto-commit on would commit what could not be rolled back, so the connection is closed first. */
    private static void end(OwnTransaction own, Connection connection) {
        try {
            own.close();
        } catch (SQLException | RuntimeException broken) {
            quietly(connection::close);
        }
    }

    /** What fails here has failed before, or will with the next statement. */
    private static void quietly(Action action) {
        try {
            action.run();
        } catch (SQLException | RuntimeException alreadyBroken) { // a pool that is closed meanwhile throws these, too
            // the pool finds out by itself
        }
    }

    /** A transaction is undone by whatever fails in it, so what is not clear has no effect. */
    private static <T> T translating(Product product, SqlWork<T> work, Connection connection) {
        try {
            return work.on(connection);
        } catch (SQLException e) {
            throw product.errors().failed(e, Effect.NONE);
        }
    }

    private <T> T withoutSqlException(OwnRun<T> run) {
        try {
            return run.now();
        } catch (SQLException e) {
            throw product().errors().failed(e, Effect.NONE); // a constraint that somebody gave the table of fences
        }
    }

    private interface Work<T, X extends Exception> {
        T on(Connection connection, Product product) throws SQLException, X;
    }

    private interface OwnRun<T> {
        T now() throws SQLException;
    }

    private interface Action {
        void run() throws SQLException;
    }
}
