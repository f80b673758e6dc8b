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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private static final int MOST_ROLLED_BACK = 1_000;

    private final JdbcFenceGuard guard;
    private final Function<M, Optional<FenceStamp>> stamps;
    private final Function<M, String> resources;
    private final RefusedMessages<M> refused;

    /** What is delivered once more. A refusal is final; but it may be about a resource that the listener has entered, and that nobody looks at before. */
    private final Map<Object, RuntimeException> rolledBack = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, RuntimeException> eldest) {
            return size() > MOST_ROLLED_BACK; // other processes may get them
        }
    });

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
        tell(message, refusal(message, null, call));
    }

    /**
     * Handles a message in a transaction of the broker's, which holds what the listener sends. If the listener is called and then refused, that
     * transaction must not commit: an exception lets the container roll it back and deliver the message again, which is refused before the call then.
     *
     * @param message the message
     * @param identity equal for each delivery of the message to the same listener, and no other one
     * @param call calls the listener; not called if the message is refused at once
     * @throws IllegalStateException if this thread is in a transaction already, other than one of the broker's own; or if the call was
     *     refused, with the refusal among those that it suppresses
     * @throws Throwable from the listener, the guard's store or the outcome
     */
    public void handleInTransaction(M message, Object identity, Call call) throws Throwable {
        RuntimeException known = rolledBack.get(identity);
        tell(message, known == null ? refusal(message, identity, call) : known);
        rolledBack.remove(identity); // not before: if the outcome fails, the message comes once more
    }

    private void tell(M message, @Nullable RuntimeException refusal) throws Exception {
        if (refusal != null) {
            refused.refused(message, refusal);
        }
    }

    private @Nullable RuntimeException refusal(M message, @Nullable Object identity, Call call) throws Throwable {
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
        FenceScope scope = FenceScope.open(stamp, List.of(resource));
        try {
            call.proceed();
            return null;
        } catch (Exception e) {
            RuntimeException refusal = refusalOf(stamp, e);
            if (refusal == null) {
                throw e;
            }
            if (identity != null) {
                rolledBack.put(identity, refusal);
                throw deliveredAgain(refusal);
            }
            return refusal;
        } finally {
            scope.close();
        }
    }

    /** The refusal is no cause: error handlers that look for one do not repeat it. */
    private static IllegalStateException deliveredAgain(RuntimeException refusal) {
        IllegalStateException again = new IllegalStateException(
                "refused at its commit: the broker's transaction is rolled back, and the message delivered and refused again; "
                        + refusal.getMessage());
        again.addSuppressed(refusal);
        return again;
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
