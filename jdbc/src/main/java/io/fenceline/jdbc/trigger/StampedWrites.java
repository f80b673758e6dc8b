package io.fenceline.jdbc.trigger;

import io.fenceline.FenceStamp;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Transactions that show a stamp to the triggers of guarded tables. What is written in them is plain SQL, also that of
 * libraries that know nothing of tokens.
 */
public final class StampedWrites {

    private final DataSource source;
    private final LockListeners listeners;

    private StampedWrites(DataSource source, LockListeners listeners) {
        this.source = source;
        this.listeners = listeners;
    }

    /**
     * Returns transactions on a database.
     *
     * @param source gives connections; on SQLite with foreign keys on ({@link SessionStamp#set})
     * @param listeners told of refusals
     * @return the transactions
     */
    public static StampedWrites on(DataSource source, LockListener... listeners) {
        return new StampedWrites(source, LockListeners.of(listeners));
    }

    /**
     * Writes in a transaction of its own, once.
     *
     * @param stamp the writer's key and token
     * @param task the writes
     * @throws RefusedWriteException if a trigger refused a write; nothing was written
     * @throws SQLException if the database refuses for another reason; nothing was written unless the commit's answer was lost
     */
    public void write(FenceStamp stamp, StampedTask task) throws SQLException {
        call(stamp, connection -> {
            task.run(connection);
            return true;
        });
    }

    /**
     * Writes as {@link #write} does, and returns a result.
     *
     * @param <T> what the call returns
     * @param stamp the writer's key and token
     * @param call the writes
     * @return what the call returned, when all is committed
     * @throws RefusedWriteException if a trigger refused a write; nothing was written
     * @throws SQLException if the database refuses for another reason; nothing was written unless the commit's answer was lost
     */
    public <T> T call(FenceStamp stamp, StampedCall<T> call) throws SQLException {
        try (Connection connection = source.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            T result = committed(connection, stamp, call);
            connection.setAutoCommit(autoCommit);
            return result;
        } catch (SQLException e) {
            RefusedWriteException refusal = TriggerRefusals.of(e).orElseThrow(() -> e);
            TriggerRefusals.tell(refusal, listeners);
            throw refusal;
        }
    }

    private static <T> T committed(Connection connection, FenceStamp stamp, StampedCall<T> call) throws SQLException {
        try {
            SessionStamp.set(connection, stamp);
            T result = call.call(connection);
            SessionStamp.clear(connection);
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            rollBack(connection, e);
            throw e;
        }
    }

    private static void rollBack(Connection connection, Throwable reason) {
        try {
            connection.rollback();
            connection.setAutoCommit(true); // as connections are, unless their source says otherwise
        } catch (SQLException broken) {
            reason.addSuppressed(broken);
        }
    }
}
