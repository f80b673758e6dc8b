package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MalformedStampException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedMessages;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs a listener of messages under the stamp of each message. A message whose stamp is stale by then does not reach the listener; if a newer holder
 * comes meanwhile, {@link TransactionFences} refuse the commit of the listener's transactions.
 *
 * <p>The transactions have to begin and end within the listener, on its thread. One that has begun before is refused; what a listener hands to
 * other threads is not guarded.
 *
 * <p>Thread-safe if the functions are.
 *
 * @param <M> the broker's type of message
 */
public final class FencedListener<M> {

    private static final String REMEDY = "its sender has to set the headers " + FenceHeaders.LOCK + " and "
            + FenceHeaders.TOKEN + ", or the properties " + FenceHeaders.LOCK_PROPERTY + " and "
            + FenceHeaders.TOKEN_PROPERTY;

    private final JdbcFenceGuard guard;
    private final Function<M, Optional<FenceStamp>> stamps;
    private final Function<M, String> resources;
    private final RefusedMessages<M> refused;

    /** The rest of a listener's call. */
    @FunctionalInterface
    public interface Call {

        /**
         * Calls the listener.
         *
         * @return what it returns; ignored
         * @throws Throwable what it throws
         */
        @Nullable
        Object proceed() throws Throwable;
    }

    /** Undoes what a listener has sent. */
    @FunctionalInterface
    public interface Rollback {

        /**
         * Rolls the broker's transaction back.
         *
         * @param refusal why
         * @throws Exception if that fails, or if the message is to be delivered once more; the outcome is not called then
         */
        void rollBack(RuntimeException refusal) throws Exception;
    }

    private FencedListener(
            JdbcFenceGuard guard,
            Function<M, Optional<FenceStamp>> stamps,
            Function<M, String> resources,
            RefusedMessages<M> refused) {
        this.guard = requireNonNull(guard, "guard");
        this.stamps = requireNonNull(stamps, "stamps");
        this.resources = requireNonNull(resources, "resources");
        this.refused = requireNonNull(refused, "refused");
    }

    /**
     * Returns a fenced listener.
     *
     * @param <M> the broker's type of message
     * @param guard guards the database of the listener's transactions
     * @param stamps reads a message's stamp
     * @param resources returns what the listener of a message writes
     * @param refused the outcome of messages without a stamp ({@link MissingTokenException}), with an unreadable one ({@link
     *     MalformedStampException}) or one of another lock ({@link ForeignTokenException}), of stale ones ({@link StaleTokenException}), and of
     *     those whose resource has no valid name, or for which {@code resources} throws an {@link IllegalArgumentException}, {@link
     *     ClassCastException} or {@link NullPointerException}
     * @return the listener
     */
    public static <M> FencedListener<M> by(
            JdbcFenceGuard guard,
            Function<M, Optional<FenceStamp>> stamps,
            Function<M, String> resources,
            RefusedMessages<M> refused) {
        return new FencedListener<>(guard, stamps, resources, refused);
    }

    /**
     * Handles a message, or passes it to the outcome of its refusal.
     *
     * @param message the message
     * @param call calls the listener; not called if the message is refused at once
     * @throws IllegalStateException if this thread is in a transaction already, other than one of the broker's own
     * @throws Throwable from the listener, the guard's store or the outcome
     */
    public void handle(M message, Call call) throws Throwable {
        handleInTransaction(message, call, refusal -> {});
    }

    /**
     * Handles a message in a transaction of the broker's, which holds what the listener sends, or passes it to the outcome of its refusal.
     *
     * @param message the message
     * @param call calls the listener; not called if the message is refused at once
     * @param rollback rolls the broker's transaction back; called before the outcome if the listener was called and then refused
     * @throws IllegalStateException if this thread is in a transaction already, other than one of the broker's own
     * @throws Throwable from the listener, the guard's store, the rollback or the outcome
     */
    public void handleInTransaction(M message, Call call, Rollback rollback) throws Throwable {
        RuntimeException refusal = refusal(message, call, rollback);
        if (refusal != null) {
            refused.refused(message, refusal);
        }
    }

    private @Nullable RuntimeException refusal(M message, Call call, Rollback rollback) throws Throwable {
        ensureNoTransaction();
        String resource;
        try {
            resource = ResourceName.of(resources.apply(message)).value();
        } catch (IllegalArgumentException | ClassCastException | NullPointerException e) { // so is each attempt
            return e;
        }
        FenceStamp stamp;
        try {
            stamp = stamps.apply(message).orElseThrow(() -> new MissingTokenException(resource, REMEDY));
            guard.ensureCurrent(resource, stamp);
        } catch (RefusedWriteException | MalformedStampException e) {
            return e;
        }
        FenceScope scope = FenceScope.ofStamp(stamp, List.of(resource));
        try {
            call.proceed();
            return null;
        } catch (Exception e) {
            RuntimeException refusal = refusalOf(stamp, e);
            if (refusal == null) {
                throw e;
            }
            rollback.rollBack(refusal);
            return refusal;
        } finally {
            scope.close();
        }
    }

    private static void ensureNoTransaction() {
        // The managers of Kafka and JMS begin no synchronizations, so theirs do not count as active here; nor does
        // RabbitMQ's if it is told so.
        if (TransactionSynchronizationManager.isActualTransactionActive() || OpenTransactions.isConnectionBound()) {
            throw new IllegalStateException(
                    "a transaction has begun before the listener, and would commit after it and under no stamp: give the"
                            + " container no manager of the database's transactions, and begin them in the listener, for instance by"
                            + " @Transactional. A RabbitTransactionManager needs setTransactionSynchronization(SYNCHRONIZATION_NEVER)");
        }
    }

    /** Finds the refusal of the message's own stamp; that of a lease which the listener took itself is none. */
    private static @Nullable RuntimeException refusalOf(FenceStamp stamp, @Nullable Throwable failure) {
        if (failure instanceof StaleTokenException stale && stamp.equals(stale.presented())) {
            return stale;
        }
        if (failure instanceof ForeignTokenException foreign && stamp.equals(foreign.presented())) {
            return foreign;
        }
        return failure == null ? null : refusalOf(stamp, failure.getCause());
    }
}
