package io.fenceline.jdbc.outbox;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.product.Product;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.transaction.GuardSchema;
import io.fenceline.jdbc.transaction.Transactions;
import io.fenceline.spi.Checks;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Messages to third parties that cannot check tokens, kept in the database of the business data until an {@link
 * OutboxRelay} has delivered them.
 *
 * <p>A message is added in the transaction of the write that it tells of, under the same fence. So it is there if and only if
 * the write is, and a stale holder adds none. What the third party then gets, it gets at least once, with the idempotency key
 * of the message, and in order for each resource.
 *
 * <p>Operators see what is left ({@link #progress}, {@link #list}), let a message be tried again, or decide that it is not to
 * be delivered. Safe for all threads and processes.
 */
public final class Outbox {

    private static final int PURGED_AT_ONCE = 1_000;

    private final Transactions transactions;
    private final OutboxOptions options;
    private final JdbcFenceGuard guard;

    /** Made when the product is known. */
    private volatile @Nullable OutboxStatements statements;

    private Outbox(Transactions transactions, OutboxOptions options, JdbcFenceGuard guard) {
        this.transactions = transactions;
        this.options = options;
        this.guard = guard;
    }

    /**
     * Returns an outbox beside the default table of fences. Does not connect yet.
     *
     * @param source gives connections to the database with the data; never closed by the outbox
     * @param options which outbox
     * @return the outbox
     */
    public static Outbox on(DataSource source, OutboxOptions options) {
        return on(source, options, GuardOptions.defaults());
    }

    /**
     * Returns an outbox. Does not connect yet.
     *
     * @param source gives connections to the database with the data; never closed by the outbox
     * @param options which outbox
     * @param fences the options of the guard that the business data is written through; a message counts as one more write
     *     under {@link FenceRule#AT_LEAST}, whatever their rule is
     * @return the outbox
     */
    public static Outbox on(DataSource source, OutboxOptions options, GuardOptions fences) {
        return new Outbox(
                new Transactions(source, fences.product(), fences.table(), fences.retries(), true),
                options,
                JdbcFenceGuard.on(source, fences.withRule(FenceRule.AT_LEAST)));
    }

    /**
     * Adds a message in a transaction of the caller's, which is best the one of a {@link JdbcFenceGuard#write}. The message's
     * resource is entered under its stamp, also if the caller has done that before; writers to one resource so come one after
     * the other, and their messages are delivered in the order of their commits.
     *
     * <p>A message whose idempotency key is there already is not added again, as long as the first one is not purged.
     *
     * @param connection in a transaction, which the caller commits
     * @param message what is to be told
     * @return whether it was added; not if the same message is there
     * @throws StaleTokenException if a greater token was seen; the caller must roll back
     * @throws ForeignTokenException if the resource belongs to another lock key; the caller must roll back
     * @throws SQLException if the database refuses or does not answer, also for a conflict; the caller must roll back
     * @throws IllegalArgumentException if the key was used for a message that says something else; the caller must roll back
     * @throws IllegalStateException if auto-commit is on, so that there is no transaction
     */
    public boolean add(Connection connection, OutboxMessage message) throws SQLException {
        guard.enter(connection, message.resource(), message.stamp());
        OutboxStatements statements = statements(transactions.product(connection));
        if (statements.insert(connection, message)) {
            return true;
        }
        OutboxEntry first =
                statements.find(connection, message.idempotencyKey()).orElseThrow(() -> unseen(message));
        if (!first.message().saysTheSameAs(message)) {
            throw new IllegalArgumentException("idempotency key '" + message.idempotencyKey()
                    + "' was used for another " + first.message() + "; give each step a key of its own");
        }
        return false;
    }

    /** The key is there, and its row is committed after the snapshot of this transaction, or being purged. */
    private static SQLException unseen(OutboxMessage message) {
        return new SQLException(
                "the outbox's row of '" + message.idempotencyKey() + "' changed meanwhile; repeat the transaction",
                "40001");
    }

    /**
     * Returns what is still to be done.
     *
     * @return counts and the age of the oldest, all of one moment
     * @throws BackendException if the database fails
     */
    public OutboxProgress progress() {
        return read(OutboxStatements::progress);
    }

    /**
     * Finds a message.
     *
     * @param idempotencyKey its key
     * @return the message, or empty if it was never added or was purged
     * @throws BackendException if the database fails
     */
    public Optional<OutboxEntry> find(String idempotencyKey) {
        return read((statements, connection) -> statements.find(connection, idempotencyKey));
    }

    /**
     * Lists messages, the oldest first.
     *
     * @param state how far they have come
     * @param limit how many at most, at least 1
     * @return the messages
     * @throws BackendException if the database fails
     */
    public List<OutboxEntry> list(OutboxState state, int limit) {
        Checks.limit(limit);
        return read((statements, connection) -> statements.list(connection, state, limit));
    }

    /**
     * Has a dead message delivered after all, with all its attempts; also lets one that waits for its next attempt be tried at
     * once. The idempotency key stays the same.
     *
     * @param idempotencyKey the message's key
     * @param by who does it; kept in {@link OutboxEntry#lastError}
     * @return whether it was done; not if there is no such message, or it was delivered, skipped, or given to a compensation
     * @throws BackendException if the database fails; repeating does no harm
     */
    public boolean retry(String idempotencyKey, Holder by) {
        return change((statements, connection) ->
                statements.retry(connection, idempotencyKey, "retried by " + by.text() + "; before: "));
    }

    /**
     * Decides that a message is not to be delivered, so that later ones of its resource go on. If it is being delivered right
     * now, it counts as delivered if that succeeds.
     *
     * @param idempotencyKey the message's key
     * @param by who does it; kept in {@link OutboxEntry#lastError}
     * @return whether it was done; not if there is no such message, or it was delivered, skipped, or given to a compensation
     * @throws BackendException if the database fails; repeating does no harm
     */
    public boolean skip(String idempotencyKey, Holder by) {
        return change((statements, connection) ->
                statements.skip(connection, idempotencyKey, "skipped by " + by.text() + "; before: "));
    }

    /**
     * Deletes messages that were delivered, compensated or skipped a while ago. Their idempotency keys are forgotten with
     * them, so keep them for longer than anybody may repeat a step.
     *
     * @param age how long ago at least, by the database's clock
     * @return how many
     * @throws BackendException if the database fails; some may be deleted then
     */
    public long purge(Duration age) {
        if (age.isNegative()) {
            throw new IllegalArgumentException("age is " + age + ", it cannot be negative");
        }
        long purged = 0;
        int last;
        do { // in small transactions, which hold nobody up
            last = change((statements, connection) -> statements.purge(connection, age.toMillis(), PURGED_AT_ONCE));
            purged += last;
        } while (last == PURGED_AT_ONCE);
        return purged;
    }

    /**
     * Returns the statements that make the table, for review or for a migration tool. The fences have a script of their own.
     *
     * @return statements in the database's own language
     * @throws BackendException if the database cannot be reached: it is asked for its product
     */
    public String schemaScript() {
        return schema().schemaScript();
    }

    /**
     * Makes the table if it is missing, and changes nothing else. The table of the fences is made by {@link
     * JdbcFenceGuard#schema}.
     *
     * @throws BackendException if the database refuses
     */
    public void installSchema() {
        SchemaControl schema = schema();
        if (schema.schemaProblems().stream().anyMatch(problem -> problem.endsWith(" is missing"))) {
            schema.installSchema();
        }
    }

    /**
     * Returns which outbox it is.
     *
     * @return the options
     */
    public OutboxOptions options() {
        return options;
    }

    /** Makes a relay the current one: from then on no other marks anything. */
    void claim(FenceStamp relay) {
        guard.claim(options.fence(), relay);
    }

    /** Reads what a relay can work on now. */
    List<OutboxEntry> ready(int limit, DeadMessagePolicy deadMessages) {
        return read((statements, connection) -> statements.ready(connection, limit, deadMessages));
    }

    /**
     * Marks what was done and begins what is next, in one transaction of the current relay.
     *
     * @return whether the next message may be delivered: it is still in the state in which it was read
     * @throws StaleTokenException if the relay was superseded; nothing was marked
     */
    boolean markAndBegin(FenceStamp relay, Optional<DeliveryMark> done, Optional<OutboxEntry> next) {
        OutboxStatements statements = statements();
        try {
            return guard.call(options.fence(), relay, connection -> {
                if (done.isPresent()) {
                    statements.mark(connection, done.get());
                }
                return next.isPresent() && statements.begin(connection, next.get());
            });
        } catch (SQLException e) {
            throw transactions.product().errors().failed(e, Effect.UNKNOWN);
        }
    }

    private SchemaControl schema() {
        Products.outboxOn(transactions.product()); // refuses a product that has none
        return new GuardSchema(transactions, new OutboxTable(options.table())::in, "outbox");
    }

    private <T> T read(Work<T> work) {
        OutboxStatements statements = statements();
        return transactions.read(connection -> work.with(statements, connection));
    }

    private <T> T change(Work<T> work) {
        OutboxStatements statements = statements();
        return transactions.single(connection -> work.with(statements, connection), Effect.UNKNOWN);
    }

    private OutboxStatements statements() {
        return statements(transactions.product());
    }

    private OutboxStatements statements(Product product) {
        OutboxStatements known = statements;
        if (known == null) {
            known = new OutboxStatements(Products.outboxOn(product), options);
            statements = known;
        }
        return known;
    }

    @FunctionalInterface
    private interface Work<T> {
        T with(OutboxStatements statements, Connection connection) throws SQLException;
    }
}
