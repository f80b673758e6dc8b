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

    /** Work that is done while no other thread uses the connection. */
    @FunctionalInterface
    interface Work<T> {
        T with(PreparedStatements statements) throws SQLException;
    }

    private final FairLock turn;
    private final TimeSource time;
    private final long limitNanos;
    private final SqliteErrors errors;
    private final BusyRetries retries;
    private final ClockFunctions clock;
    private final PreparedStatements statements;

    /** Guarded by the turn. */
    private boolean closed;

    private SqliteConnection(Connection connection, SqliteOptions options, SqliteErrors errors) throws SQLException {
        this.time = TimeSource.system();
        this.turn = new FairLock(time.ticker());
        this.limitNanos = options.busyLimit().toNanos();
        this.errors = errors;
        this.retries = new BusyRetries(time);
        this.clock = ClockFunctions.on(connection, options.clock());
        this.statements = new PreparedStatements(connection);
        BusyHandler.setHandler(connection, retries);
    }

    /** Opens a connection that may write, and creates the file if it is missing. */
    static SqliteConnection toWrite(Path file, SqliteOptions options) {
        SqliteConnection session = open(file, options, new SQLiteConfig(), SqliteErrors.ofWriting(file));
        // A commit does not wait for the disk, see StoreFiles.sync. The log still goes to the disk before the database
        // does.
        session.alone(statements -> {
            statements.run("PRAGMA synchronous = NORMAL");
            return true;
        });
        return session;
    }

    /** Opens a connection that cannot write. */
    static SqliteConnection toRead(Path file, SqliteOptions options) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        return open(file, options, config, SqliteErrors.ofReading(file));
    }

    private static SqliteConnection open(Path file, SqliteOptions options, SQLiteConfig config, SqliteErrors errors) {
        // As a URI, in which a path may have any character: in a plain name the driver reads what follows '?' as
        // settings.
        String name = file.toUri().toString();
        try {
            return new SqliteConnection(
                    new JDBC4Connection("jdbc:sqlite:" + name, name, config.toProperties()), options, errors);
        } catch (SQLException e) {
            throw errors.translate(e);
        }
    }

    /**
     * Does something alone. The thread's interrupt status neither disturbs it nor is lost.
     *
     * @throws BackendException if it fails, or if the busy limit is over
     */
    <T> T alone(Work<T> work) {
        return alone(LockOptions.MAX_TTL, work);
    }

    /** Does something alone, for a caller that waits no longer than the timeout, or than the busy limit if that is shorter. */
    <T> T alone(Duration timeout, Work<T> work) {
        long deadlineNanos = time.ticker().nanos() + Math.min(limitNanos, timeout.toNanos());
        if (!turn.take(deadlineNanos)) {
            throw errors.busyInside();
        }
        try {
            if (closed) {
                throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "this backend was closed", null);
            }
            retries.startTurn(deadlineNanos);
            clock.startTurn();
            return work.with(statements);
        } catch (SQLException e) {
            throw errors.translate(e);
        } finally {
            retries.endTurn();
            turn.pass();
        }
    }

    /** Does something alone and all or nothing, keeping other processes from writing meanwhile. */
    <T> T atomically(Work<T> work) {
        return alone(unused -> {
            statements.run("BEGIN IMMEDIATE");
            try {
                T result = work.with(statements);
                statements.run("COMMIT");
                return result;
            } catch (SQLException | RuntimeException e) {
                rollBack(e);
                throw e;
            }
        });
    }

    private void rollBack(Exception reason) {
        try {
            statements.run("ROLLBACK");
        } catch (SQLException alreadyRolledBack) {
            reason.addSuppressed(alreadyRolledBack);
        }
    }

    /** Closes the connection after the operation that runs. A second call does nothing. */
    @Override
    public void close() {
        turn.take();
        try {
            if (!closed) {
                closed = true;
                statements.close();
            }
        } catch (SQLException e) {
            // The file is consistent whatever a close says, and the process gives its locks back when it ends.
            System.getLogger(SqliteConnection.class.getName()).log(System.Logger.Level.DEBUG, "closing failed", e);
        } finally {
            turn.pass();
        }
    }
}
