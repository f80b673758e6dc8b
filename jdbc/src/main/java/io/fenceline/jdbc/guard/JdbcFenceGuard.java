package io.fenceline.jdbc.guard;

import static java.util.Objects.requireNonNull;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.sql.SqlWork;
import io.fenceline.jdbc.transaction.GuardSchema;
import io.fenceline.jdbc.transaction.Transactions;
import io.fenceline.spi.SchemaControl;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Protects whatever is written in one transaction, by a row for each resource in a table of fences.
 *
 * <p>The resource's row is taken first and stays locked until the transaction ends. A newer claim waits for that end; a
 * transaction that comes after a newer claim or write is refused before it has written. So any tables that are written in
 * the transaction are protected, at every isolation level, as long as all who write to them take the same row.
 *
 * <p>{@link #write}, {@link #call} and {@link #claim(String, FenceStamp)} have transactions of their own, which they repeat when the
 * database gives one up after a conflict. {@link #enter} and {@link #claim(Connection, String, FenceStamp)} join a transaction
 * of the caller's and repeat nothing: the driver's exception, with its SQL state, is the caller's to act on.
 *
 * <p>Two resources in one transaction are best entered in the order of their names, so that two transactions cannot block
 * each other; if they do, the database ends one of them with a conflict.
 */
public final class JdbcFenceGuard implements FenceGuard {

    private final Transactions transactions;
    private final FenceRows rows;
    private final GuardOptions options;

    private JdbcFenceGuard(Transactions transactions, FenceRows rows, GuardOptions options) {
        this.transactions = transactions;
        this.rows = rows;
        this.options = options;
    }

    /**
     * Returns a guard with the default options. Does not connect yet.
     *
     * @param source gives connections to the database with the data; never closed by the guard
     * @return the guard
     */
    public static JdbcFenceGuard on(DataSource source) {
        return on(source, GuardOptions.defaults());
    }

    /**
     * Returns a guard. Does not connect yet.
     *
     * @param source gives connections to the database with the data; never closed by the guard
     * @param options how the guard works
     * @return the guard
     */
    public static JdbcFenceGuard on(DataSource source, GuardOptions options) {
        requireNonNull(options, "options");
        return new JdbcFenceGuard(
                options.transactions(requireNonNull(source, "source")), new FenceRows(options), options);
    }

    /**
     * Writes in a transaction of its own if the stamp is not stale: takes the resource's row, runs the task, and commits. A
     * transaction with a result goes to {@link #call}, whose terms these are.
     *
     * @param <X> what the task throws beside database errors
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @param task the writes
     * @throws StaleTokenException if a greater token was seen; the task did not run
     * @throws ForeignTokenException if the resource belongs to another lock key; the task did not run
     * @throws BackendException as {@link #call} does
     * @throws SQLException as {@link #call} does
     * @throws X if the task throws it; everything is rolled back
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public <X extends Exception> void write(String resource, FenceStamp stamp, SqlTask<X> task) throws SQLException, X {
        requireNonNull(task, "task");
        this.<Boolean, X>call(resource, stamp, connection -> {
            task.run(connection);
            return true;
        });
    }

    /**
     * Writes in a transaction of its own if the stamp is not stale, and returns a result: takes the resource's row, runs the call,
     * and commits.
     *
     * <p>If the database gives the transaction up after a conflict, the call runs again in a new one, {@link
     * GuardOptions#retries} times at most.
     *
     * @param <T> what the call returns
     * @param <X> what the call throws beside database errors
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @param call the writes
     * @return what the call returned, when all is committed
     * @throws StaleTokenException if a greater token was seen; the call did not run
     * @throws ForeignTokenException if the resource belongs to another lock key; the call did not run
     * @throws BackendException if the database cannot be reached or the guard's own statements fail; nothing was written,
     *     unless the effect is {@link io.fenceline.Effect#UNKNOWN}: then the answer to the commit was lost. With {@link
     *     io.fenceline.ErrorCode#ABORTED} the retries are used up. The effect is unknown too if the transaction was ended within
     *     the call: what followed is rolled back, what was before may be committed
     * @throws SQLException if the call throws it, or wrote what a deferred constraint refuses at the commit; everything is rolled
     *     back
     * @throws X if the call throws it; everything is rolled back
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public <T, X extends Exception> T call(String resource, FenceStamp stamp, SqlCall<T, X> call)
            throws SQLException, X {
        requireNonNull(call, "call");
        String name = ResourceName.of(resource).value();
        try (GuardCheck check = begin(GuardAct.WRITE, name, stamp)) {
            return check.accepted(transactions
                    .run(name, stamp, connection -> rows.write(connection, name, stamp), call::call)
                    .orThrow(name, stamp, options.listeners()));
        }
    }

    /** Writes our own tables, whose errors are the store's. */
    <T> T writeOwn(String name, FenceStamp stamp, SqlWork<T> work) {
        try (GuardCheck check = begin(GuardAct.WRITE, name, stamp)) {
            return check.accepted(transactions
                    .runOwn(name, connection -> rows.write(connection, name, stamp), work)
                    .orThrow(name, stamp, options.listeners()));
        }
    }

    private GuardCheck begin(GuardAct act, String name, FenceStamp stamp) {
        return GuardCheck.begin(options.listeners(), act, name, stamp);
    }

    /**
     * Joins a transaction of the caller's: takes the resource's row, so that what follows in the transaction is protected
     * until it ends, or until it goes back to a savepoint from before this call: then enter again before anything else is written.
     * To be called before anything that is to be protected is read or written, and on MariaDB and MySQL, at their default isolation
     * level, before the transaction reads anything at all: it sees all tables as they were then. On PostgreSQL triggers of tables
     * in the transaction see the stamp from then on; on SQLite set it before this call and clear it once, before the commit: {@link
     * io.fenceline.jdbc.trigger.SessionStamp}.
     *
     * @param connection in a transaction
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @throws StaleTokenException if a greater token was seen; the caller must roll back
     * @throws ForeignTokenException if the resource belongs to another lock key; the caller must roll back
     * @throws SQLException as the driver gave it, also for a conflict (SQLSTATE 40001 on most databases): the caller
     *     must roll back, and may repeat the whole transaction after one. On databases that undo the transaction by themselves
     *     then, whatever is written without the rollback is not protected
     * @throws IllegalStateException if there is no transaction: auto-commit is on, and SQL has begun none
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public void enter(Connection connection, String resource, FenceStamp stamp) throws SQLException {
        String name = ResourceName.of(resource).value();
        requireNonNull(stamp, "stamp");
        rows.ensureInTransaction(requireNonNull(connection, "connection"));
        try (GuardCheck check = begin(GuardAct.WRITE, name, stamp)) {
            rows.write(connection, name, stamp).orThrow(name, stamp, options.listeners());
            check.accepted();
        }
    }

    @Override
    public void claim(String resource, FenceStamp stamp) {
        String name = ResourceName.of(resource).value();
        try (GuardCheck check = begin(GuardAct.CLAIM, name, stamp)) {
            transactions
                    .admit(name, connection -> rows.claim(connection, name, stamp))
                    .orThrow(name, stamp, options.listeners());
            check.accepted();
        }
    }

    /**
     * Claims in a transaction of the caller's. Counts when that is committed. What it reads on MariaDB and MySQL afterwards is as old as
     * for {@link #enter}.
     *
     * @param connection in a transaction
     * @param resource the name of what is guarded
     * @param stamp the holder's key and token
     * @throws StaleTokenException if a greater token was seen; the caller must roll back
     * @throws ForeignTokenException if the resource belongs to another lock key; the caller must roll back
     * @throws SQLException as {@link #enter} does
     * @throws IllegalStateException if there is no transaction: auto-commit is on, and SQL has begun none
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public void claim(Connection connection, String resource, FenceStamp stamp) throws SQLException {
        String name = ResourceName.of(resource).value();
        requireNonNull(stamp, "stamp");
        rows.ensureInTransaction(requireNonNull(connection, "connection"));
        try (GuardCheck check = begin(GuardAct.CLAIM, name, stamp)) {
            rows.claim(connection, name, stamp).orThrow(name, stamp, options.listeners());
            check.accepted();
        }
    }

    @Override
    public Verdict check(String resource, FenceStamp stamp) {
        requireNonNull(stamp, "stamp");
        return fence(resource)
                .map(fence -> fence.onWrite(stamp, options.rule()))
                .orElse(new Verdict.Accepted());
    }

    /**
     * Throws what a write would throw now. Like {@link #check} it protects nothing; it tells whether a conflict that the database
     * reported within {@link #enter} comes from a newer holder. Uses a connection of its own.
     *
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @throws StaleTokenException if a greater token was seen
     * @throws ForeignTokenException if the resource belongs to another lock key
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public void ensureCurrent(String resource, FenceStamp stamp) {
        check(resource, stamp).orThrow(resource, stamp, options.listeners());
    }

    @Override
    public Optional<FenceStamp> highest(String resource) {
        return fence(resource).map(Fence::stamp);
    }

    private Optional<Fence> fence(String resource) {
        String name = ResourceName.of(resource).value();
        return transactions.read(connection -> rows.read(connection, name));
    }

    /**
     * Returns what prints, makes and checks the tables that the guard needs. Connects once, for the product.
     *
     * @return the schema
     * @throws BackendException if the database cannot be reached
     */
    public SchemaControl schema() {
        return new GuardSchema(transactions, new FenceTable(options.table())::in, "fences");
    }
}
