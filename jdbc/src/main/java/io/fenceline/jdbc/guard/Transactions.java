package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.dialect.SqlWork;
import io.fenceline.time.Delays;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that a guard begins, ends, and repeats after a conflict, each on a connection of its own that is afterwards as
 * it was.
 */
final class Transactions {

    private static final int LONGEST_PAUSE_MILLIS = 50;

    private final DataSource source;
    private final int retries;
    private final String table;
    private final boolean autoCommitOff;
    private final Delays delays = Delays.system();

    /** Found out with the first connection if it was not given. All connections are of one product. */
    private volatile @Nullable FenceDialect dialect;

    /** The database's address, known from the first connection on. */
    private volatile @Nullable String database;

    Transactions(DataSource source, GuardOptions options) {
        this.source = source;
        this.retries = options.retries();
        this.table = options.table();
        this.autoCommitOff = options.autoCommitOff();
        this.dialect = options.dialect().orElse(null);
    }

    /**
     * Takes a fence, and if that is accepted runs the body and commits.
     *
     * @throws SQLException if the body throws it
     * @throws X if the body throws it
     */
    <T, X extends Exception> Attempt<T> run(
            String resource, FenceStamp stamp, SqlWork<Verdict> admission, SqlBody<T, X> body) throws SQLException, X {
        return run(
                resource,
                admission,
                connection -> {
                    HeldFences.hold(address(connection), table, resource);
                    try {
                        FenceDialect product = product(connection);
                        Optional<FenceStamp> before = product.show(connection, stamp, resource);
                        T result = body.on(GuardedConnection.of(connection));
                        product.hide(connection, before);
                        return result;
                    } finally {
                        HeldFences.release(address(connection), table, resource);
                    }
                },
                (connection, product) -> told(product, product::watch, connection));
    }

    private <T, X extends Exception> Attempt<T> run(
            @Nullable String resource,
            SqlWork<Verdict> admission,
            SqlBody<T, X> body,
            Work<Unbroken, RuntimeException> watching)
            throws SQLException, X {
        return repeated(resource, (connection, product) -> {
            begin(connection, product);
            boolean committed = false;
            try {
                Verdict verdict = told(product, admission, connection);
                if (!verdict.isAccepted()) {
                    return new Attempt<>(verdict, null);
                }
                Unbroken transaction = watching.on(connection, product);
                T result = body.on(connection);
                commit(connection, product, transaction);
                committed = true;
                return new Attempt<>(verdict, result);
            } finally {
                if (!committed) {
                    rollBack(connection);
                }
            }
        });
    }

    /** Takes a fence and commits. */
    Attempt<Verdict> admit(String resource, SqlWork<Verdict> admission) {
        return runOwn(resource, admission, connection -> new Verdict.Accepted());
    }

    /** Does our own work in a transaction; what fails in it is undone. */
    <T> T atomically(SqlWork<T> work) {
        return runOwn(null, connection -> new Verdict.Accepted(), work).accepted();
    }

    /** Takes a fence, and if that is accepted does our own work, whose errors are the store's and are all passed on. */
    <T> Attempt<T> runOwn(@Nullable String resource, SqlWork<Verdict> admission, SqlWork<T> work) {
        return bodiless(() -> this.<T, RuntimeException>run(
                resource,
                admission,
                connection -> told(product(connection), work, connection),
                (connection, product) -> () -> {}));
    }

    /** Runs one statement that commits by itself. */
    <T> T single(SqlWork<T> work, Effect unclear) {
        return bodiless(() -> this.<T, RuntimeException>repeated(null, (connection, product) -> {
            try {
                connection.setAutoCommit(true);
                return work.on(connection);
            } catch (SQLException e) {
                throw product.failed(e, unclear);
            }
        }));
    }

    /** Runs one statement that changes nothing. */
    <T> T read(SqlWork<T> work) {
        return single(work, Effect.NONE);
    }

    FenceDialect product() {
        FenceDialect known = dialect;
        return known != null ? known : read(this::product);
    }

    private FenceDialect product(Connection connection) throws SQLException {
        FenceDialect known = dialect;
        if (known == null) {
            known = FenceDialect.of(connection);
            dialect = known;
        }
        return known;
    }

    private <T, X extends Exception> T repeated(@Nullable String resource, Work<T, X> work) throws SQLException, X {
        for (int retry = 0; ; retry++) {
            try {
                return connected(resource, work);
            } catch (Exception e) {
                if (!isConflict(e)) {
                    throw e;
                }
                pauseOrGiveUp(retry, e);
            }
        }
    }

    /** Libraries between the body and the driver wrap what the database said. A conflict that was repeated in vain is none of this transaction. */
    private boolean isConflict(Exception e) {
        FenceDialect known = dialect;
        for (Throwable cause = e;
                known != null && cause != null && !(cause instanceof RepeatedInVain);
                cause = cause.getCause()) {
            if (cause instanceof SQLException sql && known.isConflict(sql)) {
                return true;
            }
        }
        return false;
    }

    /** Pauses at random, longer with each time, so that those who were in each other's way part. */
    private void pauseOrGiveUp(int retry, Exception conflict) {
        if (retry >= retries) {
            throw gaveUp("a conflict with others came back in each of " + (retry + 1) + " attempts", conflict);
        }
        int longest = Math.min(LONGEST_PAUSE_MILLIS, 1 << Math.min(retry, 16));
        try {
            delays.park(ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(longest)) + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw gaveUp("interrupted after a conflict with others", conflict);
        }
    }

    private static BackendException gaveUp(String what, Exception conflict) {
        return new BackendException(
                ErrorCode.ABORTED,
                Effect.NONE,
                what + "; nothing was written: " + conflict.getMessage(),
                new RepeatedInVain(conflict));
    }

    /** Keeps a transaction around this one from repeating what was repeated already. */
    private static final class RepeatedInVain extends Exception {

        private static final long serialVersionUID = 1;

        RepeatedInVain(Exception conflict) {
            super(conflict.getMessage(), conflict);
        }
    }

    private <T, X extends Exception> T connected(@Nullable String resource, Work<T, X> work) throws SQLException, X {
        String known = database;
        if (known != null && resource != null) {
            HeldFences.ensureFree(
                    known, table, resource); // before a connection is asked for: the pool may have no other
        }
        Connection connection = connect();
        try {
            FenceDialect product;
            boolean autoCommit;
            try {
                product = product(connection);
                autoCommit = connection.getAutoCommit();
                ensureIdle(connection, product, autoCommit);
                if (resource != null) {
                    HeldFences.ensureFree(address(connection), table, resource);
                }
            } catch (SQLException e) {
                throw unreachable(e);
            }
            try {
                return work.on(connection, product);
            } finally {
                quietly(() -> {
                    if (connection.getAutoCommit() != autoCommit) {
                        connection.setAutoCommit(autoCommit);
                    }
                });
            }
        } finally {
            quietly(connection::close);
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
    private void ensureIdle(Connection connection, FenceDialect product, boolean autoCommit) throws SQLException {
        if ((!autoCommit && !autoCommitOff) || product.isInTransaction(connection)) {
            throw new BackendException(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "the data source gave a connection that is in a transaction, or whose auto-commit is off, which is"
                            + " somebody's transaction: to write in it use enter(connection, resource, stamp) and its"
                            + " connection; else give the guard a data source that is not bound to it. If a pool turns"
                            + " auto-commit off and begins nothing, say GuardOptions.withAutoCommitOff()",
                    null);
        }
    }

    private static void begin(Connection connection, FenceDialect product) {
        try {
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            throw product.failed(e, Effect.NONE);
        }
    }

    private static void commit(Connection connection, FenceDialect product, Unbroken transaction) {
        try {
            transaction.ensure();
        } catch (SQLException e) {
            throw product.failed(e, Effect.NONE);
        }
        try {
            connection.commit();
        } catch (SQLException e) {
            throw product.failed(e, Effect.UNKNOWN);
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
        FenceDialect known = dialect;
        return known != null
                ? known.unreachable(e)
                : new BackendException(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        Effect.NONE,
                        "the data source gives no connection: " + e.getMessage(),
                        e);
    }

    /** To turn auto-commit on would commit what could not be rolled back, so the connection is closed first. */
    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException broken) {
            quietly(connection::close);
        }
    }

    /** What fails here has failed before, or will with the next statement. */
    private static void quietly(Step step) {
        try {
            step.take();
        } catch (SQLException alreadyBroken) {
            // the pool finds out by itself
        }
    }

    /** A transaction is undone by whatever fails in it, so what is not clear has no effect. */
    private static <T> T told(FenceDialect product, SqlWork<T> work, Connection connection) {
        try {
            return work.on(connection);
        } catch (SQLException e) {
            throw product.failed(e, Effect.NONE);
        }
    }

    private static <T> T bodiless(Bodiless<T> run) {
        try {
            return run.now();
        } catch (SQLException e) {
            throw new IllegalStateException("our own work tells its errors otherwise", e);
        }
    }

    private interface Work<T, X extends Exception> {
        T on(Connection connection, FenceDialect product) throws SQLException, X;
    }

    private interface Bodiless<T> {
        T now() throws SQLException;
    }

    private interface Step {
        void take() throws SQLException;
    }
}
