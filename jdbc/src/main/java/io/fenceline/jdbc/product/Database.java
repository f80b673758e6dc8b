package io.fenceline.jdbc.product;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.sql.SqlWork;
import io.fenceline.time.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database to run single statements on. Each gets a connection of its own that commits by itself, so that it is never part of
 * a caller's transaction, and that gives up when the database does not answer in time. Afterwards the connection is as it was.
 */
public final class Database {

    /** Drivers that use it at all use it to close a connection, which may be done by the thread that noticed. */
    private static final Executor AT_ONCE = Runnable::run;

    /** Leaves a call to the limits of the connection. */
    private static final Duration UNLIMITED = Duration.ofMillis(Integer.MAX_VALUE);

    private final DataSource source;
    private final ConnectionSource connections;
    private final Ticker ticker = Ticker.system();
    private final LockDialect dialect;
    private final int limitMillis;
    private final @Nullable TablesOnDemand tables;
    private final @Nullable PlatformThreads platform;
    private final AtomicBoolean closed;

    /**
     * Creates the database.
     *
     * @param answerLimit how long the database may take to answer a statement
     */
    public Database(DataSource source, LockDialect dialect, Duration answerLimit) {
        this.source = source;
        this.connections = ConnectionSource.of(source);
        this.dialect = dialect;
        this.limitMillis = (int) Math.min(Integer.MAX_VALUE, answerLimit.toMillis());
        this.tables = null;
        this.platform = null;
        this.closed = new AtomicBoolean();
    }

    private Database(Database same, @Nullable TablesOnDemand tables, @Nullable PlatformThreads platform) {
        this.source = same.source;
        this.connections = same.connections;
        this.dialect = same.dialect;
        this.limitMillis = same.limitMillis;
        this.tables = tables;
        this.platform = platform;
        this.closed = same.closed;
    }

    /** Returns the same database, whose tables are made before the first change. */
    public Database making(TablesOnDemand missing) {
        return new Database(this, missing, platform);
    }

    /**
     * Returns the same database, whose statements run on platform threads if a virtual thread asks. For a data source that does not
     * care which thread it is asked by.
     */
    public Database onPlatformThreads() {
        return new Database(this, tables, new PlatformThreads());
    }

    /**
     * Makes the tables now if they are made on demand, for a caller that changes them on connections of its own.
     *
     * @throws BackendException if it fails
     */
    public void makeTables() {
        makeTables(UNLIMITED);
    }

    private void makeTables(Duration timeout) {
        if (tables != null) {
            tables.make(timeout);
        }
    }

    /**
     * Runs a statement that changes nothing.
     *
     * @throws BackendException if it fails; its effect is {@link Effect#NONE}
     */
    public <T> T read(SqlWork<T> work) {
        return run(work, Effect.NONE, Integer.MAX_VALUE);
    }

    /**
     * Runs a statement that changes nothing.
     *
     * @param ofNothing the answer where there are no tables yet, as they are made on demand
     * @throws BackendException if it fails; its effect is {@link Effect#NONE}
     */
    public <T> T read(SqlWork<T> work, T ofNothing) {
        try {
            return read(work);
        } catch (BackendException e) {
            if (tables == null || e.code() != ErrorCode.MISCONFIGURED) {
                throw e;
            }
            return tables.areMissing() ? ofNothing : read(work); // somebody may just have made them
        }
    }

    /**
     * Runs a statement that may change something.
     *
     * @throws BackendException if it fails
     */
    public <T> T change(SqlWork<T> work) {
        return change(UNLIMITED, work);
    }

    /**
     * Runs a statement that may change something, for a caller with a limit of its own.
     *
     * @param timeout how long the caller waits for the tables, the connection and the answer together; the limits that each has stay
     * @throws BackendException if it fails
     */
    public <T> T change(Duration timeout, SqlWork<T> work) {
        long asked = ticker.nanos();
        makeTables(timeout);
        Duration left = timeout.minusNanos(ticker.nanos() - asked);
        return run(work, Effect.UNKNOWN, (int) Math.max(1, Math.min(Integer.MAX_VALUE, left.toMillis())));
    }

    /**
     * Runs a statement that may change something and needs none of the tables: none is made.
     *
     * @throws BackendException if it fails
     */
    public <T> T changeAsItIs(SqlWork<T> work) {
        return run(work, Effect.UNKNOWN, Integer.MAX_VALUE);
    }

    /**
     * Returns where the connections come from.
     *
     * @return the data source, also after {@link #close}
     */
    public DataSource source() {
        return source;
    }

    /**
     * Lets every later call fail.
     *
     * @return whether this was the first call
     */
    public boolean close() {
        return !closed.getAndSet(true);
    }

    /** A thread that comes interrupted stays so, and gets its answer: a pool would refuse to wait, and some drivers lose the status. */
    private <T> T run(SqlWork<T> work, Effect unclear, int timeoutMillis) {
        return Uninterrupted.run(() -> platform == null
                ? runHere(work, unclear, timeoutMillis)
                : platform.run(timeoutMillis, left -> runHere(work, unclear, left)));
    }

    private <T> T runHere(SqlWork<T> work, Effect unclear, int timeoutMillis) {
        if (closed.get()) {
            throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "the backend is closed", null);
        }
        long asked = ticker.nanos();
        Connection connection = connect(timeoutMillis, asked);
        try {
            long left = timeoutMillis - NANOSECONDS.toMillis(ticker.nanos() - asked);
            if (left <= 0) {
                throw new BackendException(
                        ErrorCode.NETWORK_TIMEOUT,
                        Effect.NONE,
                        "the data source took longer than " + timeoutMillis + " ms to give a connection",
                        null);
            }
            return committing(connection, work, unclear, (int) Math.min(limitMillis, left));
        } finally {
            quietly(connection::close);
        }
    }

    private Connection connect(int timeoutMillis, long asked) {
        try {
            return connections.open(timeoutMillis);
        } catch (SQLException e) {
            throw unreachable(e, timeoutMillis, asked);
        } catch (RuntimeException e) {
            // Pools that connect for the first time wrap what went wrong.
            if (e.getCause() instanceof SQLException cause) {
                throw unreachable(cause, timeoutMillis, asked);
            }
            throw e;
        } catch (OutOfMemoryError e) { // a pool or a driver starts threads to connect
            throw new BackendException(
                    ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "cannot connect: " + e.getMessage(), e);
        }
    }

    /** A pool that was given no more time does not say what it waited for. */
    private BackendException unreachable(SQLException e, int timeoutMillis, long asked) {
        BackendException failure = dialect.errors().unreachable(e);
        boolean late = NANOSECONDS.toMillis(ticker.nanos() - asked) >= timeoutMillis;
        return late && failure.code() == ErrorCode.SERVICE_UNAVAILABLE
                ? new BackendException(
                        ErrorCode.NETWORK_TIMEOUT, Effect.NONE, "no connection within " + timeoutMillis + " ms", e)
                : failure;
    }

    private <T> T committing(Connection connection, SqlWork<T> work, Effect unclear, int millis) {
        boolean restore = false;
        try {
            if (dialect.product().isInTransaction(connection)) {
                throw new BackendException(
                        ErrorCode.MISCONFIGURED,
                        Effect.NONE,
                        "the data source gave a connection in the middle of a transaction, which would undo a lock when it"
                                + " rolls back; give one that is not bound to the caller's transaction",
                        null);
            }
            restore = !connection.getAutoCommit();
            if (restore) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw dialect.errors().failed(e, Effect.NONE);
        }
        try {
            return limited(connection, work, unclear, millis);
        } finally {
            if (restore) {
                quietly(() -> connection.setAutoCommit(false));
            }
        }
    }

    private <T> T limited(Connection connection, SqlWork<T> work, Effect unclear, int millis) {
        int before = limit(connection, millis);
        try {
            return work.on(connection);
        } catch (SQLException e) {
            BackendException failure = dialect.errors().failed(e, unclear);
            if (failure.code() == ErrorCode.SERVICE_UNAVAILABLE) {
                discard(connection);
            }
            throw failure;
        } finally {
            if (before >= 0) {
                quietly(() -> connection.setNetworkTimeout(AT_ONCE, before));
            }
        }
    }

    /** Sets the limit of a connection that has none or a longer one; answers what to set afterwards, or -1. */
    private int limit(Connection connection, int millis) {
        if (!dialect.product().hasNetworkTimeout()) {
            return -1;
        }
        try {
            int before = connection.getNetworkTimeout();
            if (before != 0 && before <= millis) {
                return -1;
            }
            connection.setNetworkTimeout(AT_ONCE, millis);
            return before;
        } catch (SQLFeatureNotSupportedException withoutLimit) {
            return -1;
        } catch (SQLException e) {
            throw dialect.errors().failed(e, Effect.NONE);
        }
    }

    /**
     * Closes a connection to a server that cannot be used, for instance because it is read-only: another may have taken over
     * behind the same address. The statement that follows fails, which tells pools that watch for errors; others notice when they
     * test the connection.
     */
    private static void discard(Connection connection) {
        quietly(() -> connection.abort(AT_ONCE));
        quietly(() -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
        });
    }

    /** What fails here has failed before, or will with the next statement. */
    private static void quietly(Step step) {
        try {
            step.take();
        } catch (SQLException | RuntimeException alreadyBroken) { // a pool that is closed meanwhile throws these, too
            // the pool finds out by itself
        }
    }

    private interface Step {
        void take() throws SQLException;
    }
}
