package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockOptions;
import io.fenceline.time.TimeSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.jdbc4.JDBC4Connection;

/** One connection to a file, used by one thread at a time. */
final class SqliteConnection implements AutoCloseable {

    /** Work on a connection that no other thread uses meanwhile. */
    @FunctionalInterface
    interface Work<T> {
        T run(PreparedStatements statements) throws SQLException;
    }

    private final FairLock lock;
    private final TimeSource time;
    private final long limitNanos;
    private final SqliteErrors errors;
    private final BusyRetries retries;
    private final ClockFunctions functions;
    private final PreparedStatements statements;

    /** Guarded by the lock. */
    private boolean closed;

    private SqliteConnection(Connection connection, Duration busyLimit, MachineClock clock, SqliteErrors errors)
            throws SQLException {
        this.time = TimeSource.system();
        this.lock = new FairLock(time.ticker());
        this.limitNanos = busyLimit.toNanos();
        this.errors = errors;
        this.retries = new BusyRetries(time);
        this.functions = ClockFunctions.on(connection, clock);
        this.statements = new PreparedStatements(connection);
        BusyHandler.setHandler(connection, retries);
    }

    /** Opens a connection that may write, and creates the file if it is missing. */
    static SqliteConnection toWrite(Path file, Duration busyLimit, MachineClock clock) {
        SqliteConnection connection = open(file, busyLimit, clock, new SQLiteConfig(), SqliteErrors.ofWriting(file));
        // A commit does not wait for the disk, see StoreFiles.sync. The log still goes to the disk before the database
        // does.
        connection.run(statements -> {
            statements.run("PRAGMA synchronous = NORMAL");
            return true;
        });
        return connection;
    }

    /** Opens a connection that cannot write. */
    static SqliteConnection toRead(Path file, Duration busyLimit, MachineClock clock) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        return open(file, busyLimit, clock, config, SqliteErrors.ofReading(file));
    }

    private static SqliteConnection open(
            Path file, Duration busyLimit, MachineClock clock, SQLiteConfig config, SqliteErrors errors) {
        // As a URI, in which a path may have any character. In a plain name the driver reads what follows '?' as
        // settings.
        String name = file.toUri().toString();
        try {
            return new SqliteConnection(
                    new JDBC4Connection("jdbc:sqlite:" + name, name, config.toProperties()), busyLimit, clock, errors);
        } catch (SQLException e) {
            throw errors.translate(e);
        } catch (UnsatisfiedLinkError e) { // after the first attempt
            throw errors.withoutLibrary(e);
        }
    }

    /**
     * Runs work. The thread's interrupt status neither disturbs it nor is lost.
     *
     * @throws BackendException if it fails, or if the busy limit is over
     */
    <T> T run(Work<T> work) {
        return run(LockOptions.MAX_TTL, work);
    }

    /** Runs work for a caller that waits no longer than the timeout, or than the busy limit if that is shorter. */
    <T> T run(Duration timeout, Work<T> work) {
        long deadlineNanos = time.ticker().nanos() + Math.min(limitNanos, timeout.toNanos());
        if (!lock.tryLock(deadlineNanos)) {
            throw errors.connectionBusy();
        }
        try {
            if (closed) {
                throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "the backend is closed", null);
            }
            retries.begin(deadlineNanos);
            return runWhileBusy(work);
        } catch (SQLException e) {
            throw errors.translate(e);
        } finally {
            retries.end();
            lock.unlock();
        }
    }

    /** SQLite does not ask the busy handler everywhere, for instance not when several connections begin the log of a new file. */
    private <T> T runWhileBusy(Work<T> work) throws SQLException {
        while (true) {
            functions.forgetReading();
            try {
                return work.run(statements);
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e) || !retries.mayTryAgain()) {
                    throw e;
                }
            }
        }
    }

    /** Runs work in one transaction, and keeps other processes from writing meanwhile. */
    <T> T inTransaction(Work<T> work) {
        return run(unused -> {
            statements.run("BEGIN IMMEDIATE");
            try {
                T result = work.run(statements);
                statements.run("COMMIT");
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollBack(e); // after an error too: the store goes on with this connection
                throw e;
            }
        });
    }

    private void rollBack(Throwable reason) {
        try {
            statements.run("ROLLBACK");
        } catch (SQLException alreadyRolledBack) {
            reason.addSuppressed(alreadyRolledBack);
        }
    }

    /** Closes the connection after the work that runs. A second call does nothing. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                statements.close();
            }
        } catch (SQLException e) {
            // The file is consistent whatever a close reports, and the process gives its locks back when it ends.
            System.getLogger(SqliteConnection.class.getName()).log(System.Logger.Level.DEBUG, "closing failed", e);
        } finally {
            lock.unlock();
        }
    }
}
