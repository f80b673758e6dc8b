package io.fenceline.jdbc.trigger;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.HeldFences;
import io.fenceline.jdbc.sql.OwnTransaction;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that show a stamp to the triggers of guarded tables. What is written in them is plain SQL, also that of
 * libraries that know nothing of tokens. In a transaction of the caller's use {@link SessionStamp#set}.
 *
 * <p>On PostgreSQL a write locks the row and then its fence, and guards lock the fence and then the row. Where both meet on a row,
 * the database may end one of the transactions with a deadlock, SQLSTATE 40P01. Nothing of it was written, and it can be repeated.
 * There is none on rows whose resources the transaction has claimed or entered first, by a {@link
 * io.fenceline.jdbc.guard.JdbcFenceGuard}.
 */
public final class StampedWrites {

    /** Table and resource of a transaction that may write anything. */
    private static final String STAMPED = "";

    private final DataSource source;
    private final LockListeners listeners;

    /** Known from the first connection on. */
    private volatile @Nullable String database;

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
        return new StampedWrites(requireNonNull(source, "source"), LockListeners.of(listeners));
    }

    /**
     * Writes in a transaction of its own, once.
     *
     * @param stamp the writer's key and token
     * @param task the writes
     * @throws RefusedWriteException if a trigger refused a write; nothing was written
     * @throws SQLException if the database refuses for another reason; nothing was written unless the commit's answer was lost
     * @throws IllegalStateException if the data source gives a connection that is in a transaction, or whose auto-commit is off, which
     *     is somebody else's transaction, or on SQLite if this thread is in a guard's write; nothing was written
     */
    public void write(FenceStamp stamp, StampedTask task) throws SQLException {
        requireNonNull(task, "task");
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
     * @throws IllegalStateException if the data source gives a connection that is in a transaction, or whose auto-commit is off, which
     *     is somebody else's transaction, or on SQLite if this thread is in a guard's write; nothing was written
     */
    public <T> T call(FenceStamp stamp, StampedCall<T> call) throws SQLException {
        requireNonNull(stamp, "stamp");
        requireNonNull(call, "call");
        String known = database;
        if (known != null) {
            HeldFences.ensureNoOtherWriter(known); // before a connection is asked for: the pool may have no other
        }
        try (Connection connection = source.getConnection()) {
            ensureIdle(connection);
            return committed(connection, stamp, call);
        } catch (RefusedWriteException e) {
            throw e;
        } catch (SQLException | RuntimeException e) {
            Optional<RefusedWriteException> refusal = TriggerRefusals.of(e);
            if (refusal.isEmpty()) {
                throw e;
            }
            TriggerRefusals.tell(refusal.get(), listeners);
            throw refusal.get();
        }
    }

    /** To commit here would end what the caller, or a framework for it, has begun. */
    private static void ensureIdle(Connection connection) throws SQLException {
        if (!connection.getAutoCommit() || Products.of(connection).isInTransaction(connection)) {
            throw new IllegalStateException(
                    "the data source gave a connection that is in a transaction, or whose auto-commit is off, which is"
                            + " somebody else's transaction: to write in it call SessionStamp.set(connection, stamp) first");
        }
    }

    private <T> T committed(Connection connection, FenceStamp stamp, StampedCall<T> call) throws SQLException {
        String address = HeldFences.database(connection);
        database = address;
        HeldFences.ensureNoOtherWriter(address);
        try (OwnTransaction own = OwnTransaction.begin(connection)) {
            HeldFences.hold(address, STAMPED, STAMPED);
            SessionStamp.set(connection, stamp);
            T result = call.call(connection);
            SessionStamp.hide(connection, Optional.empty()); // what deferred triggers write at the commit is ours too
            own.commit();
            return result;
        } finally {
            HeldFences.release(address, STAMPED, STAMPED);
        }
    }
}
