package io.fenceline.jdbc.dialect;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
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

    private final DataSource source;
    private final Dialect dialect;
    private final int limitMillis;
    private final @Nullable TablesOnDemand tables;
    private final AtomicBoolean closed;

    /**
     * Creates the database.
     *
     * @param source gives connections
     * @param dialect knows the product
     * @param answerLimit how long the database may take to answer a statement
     */
    public Database(DataSource source, Dialect dialect, Duration answerLimit) {
        this.source = source;
        this.dialect = dialect;
        this.limitMillis = (int) Math.min(Integer.MAX_VALUE, answerLimit.toMillis());
        this.tables = null;
        this.closed = new AtomicBoolean();
    }

    private Database(Database same, TablesOnDemand tables) {
        this.source = same.source;
        this.dialect = same.dialect;
        this.limitMillis = same.limitMillis;
        this.tables = tables;
        this.closed = same.closed;
    }

    /**
     * Returns the same database, whose tables are made before the first change.
     *
     * @param missing what makes them, by this database
     * @return a database that is closed with this one
     */
    public Database making(TablesOnDemand missing) {
        return new Database(this, missing);
    }

    /**
     * Makes the tables now if they are made on demand, for somebody who is about to change them on connections of his own.
     *
     * @throws BackendException if it fails
     */
    public void makeTables() {
        if (tables != null) {
            tables.make();
        }
    }

    /**
     * Runs a statement that changes nothing.
     *
     * @param work the statement
     * @param <T> the answer
     * @return the answer
     * @throws BackendException if it fails; its effect is {@link Effect#NONE}
     */
    public <T> T read(SqlWork<T> work) {
        return run(work, Effect.NONE);
    }

    /**
     * Runs a statement that changes nothing.
     *
     * @param work the statement
     * @param ofNothing the answer where there are no tables yet, as they are made on demand
     * @param <T> the answer
     * @return the answer
     * @throws BackendException if it fails; its effect is {@link Effect#NONE}
     */
    public <T> T read(SqlWork<T> work, T ofNothing) {
        try {
            return read(work);
        } catch (BackendException e) {
            if (tables != null && TablesOnDemand.areMissing(e)) {
                return ofNothing;
            }
            throw e;
        }
    }

    /**
     * Runs a statement that may change something.
     *
     * @param work the statement
     * @param <T> the answer
     * @return the answer, when the change is committed
     * @throws BackendException if it fails
     */
    public <T> T change(SqlWork<T> work) {
        makeTables();
        return run(work, Effect.UNKNOWN);
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

    private <T> T run(SqlWork<T> work, Effect unclear) {
        if (closed.get()) {
            throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "the backend is closed", null);
        }
        Connection connection = connect();
        try {
            return committing(connection, work, unclear);
        } finally {
            quietly(connection::close);
        }
    }

    private Connection connect() {
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw dialect.errors().unreachable(e);
        } catch (RuntimeException e) {
            // Pools that connect for the first time wrap what went wrong.
            if (e.getCause() instanceof SQLException cause) {
                throw dialect.errors().unreachable(cause);
            }
            throw e;
        }
    }

    private <T> T committing(Connection connection, SqlWork<T> work, Effect unclear) {
        boolean restore = false;
        try {
            if (dialect.isInTransaction(connection)) {
                throw new BackendException(
                        ErrorCode.INTERNAL,
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
            return limited(connection, work, unclear);
        } finally {
            if (restore) {
                quietly(() -> connection.setAutoCommit(false));
            }
        }
    }

    private <T> T limited(Connection connection, SqlWork<T> work, Effect unclear) {
        int before = limit(connection);
        try {
            return work.on(connection);
        } catch (SQLException e) {
            throw dialect.errors().failed(e, unclear);
        } finally {
            if (before >= 0) {
                quietly(() -> connection.setNetworkTimeout(AT_ONCE, before));
            }
        }
    }

    /** Sets the limit of a connection that has none or a longer one; answers what to set afterwards, or -1. */
    private int limit(Connection connection) {
        try {
            int before = connection.getNetworkTimeout();
            if (before != 0 && before <= limitMillis) {
                return -1;
            }
            connection.setNetworkTimeout(AT_ONCE, limitMillis);
            return before;
        } catch (SQLFeatureNotSupportedException withoutLimit) {
            return -1;
        } catch (SQLException e) {
            throw dialect.errors().failed(e, Effect.NONE);
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

    private interface Step {
        void take() throws SQLException;
    }
}
