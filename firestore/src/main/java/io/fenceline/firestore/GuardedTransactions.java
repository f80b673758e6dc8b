package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Transaction;
import com.google.cloud.firestore.TransactionOptions;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.LockId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions of the store that write a fence, within a time limit.
 *
 * <p>By default the client retries a transaction whose commit got no reply, which doubles its effect if the first commit was
 * applied. So it gets one attempt, and only transactions that the store aborted after a conflict are retried here. The client may
 * still resend the commit itself, which then fails because the transaction is over; so each leaves its name in the fence.
 */
final class GuardedTransactions {

    private static final TransactionOptions ONE_ATTEMPT = TransactionOptions.createReadWriteOptionsBuilder()
            .setNumberOfAttempts(1)
            .build();

    private final FirestoreLink link;

    GuardedTransactions(FirestoreLink link) {
        this.link = link;
    }

    /**
     * Runs a transaction that reads {@code fence} first and writes {@code fields} to it last. Exceptions of {@code check}, which runs
     * before the body, are rethrown.
     */
    <T> T run(
            DocumentReference fence,
            Consumer<DocumentSnapshot> check,
            Transaction.Function<T> body,
            Map<String, Object> fields) {
        CallDeadline deadline = link.deadline();
        for (int conflicts = 1; ; conflicts++) {
            Attempt<T> attempt = new Attempt<>(fence, check, body, fields);
            try {
                return link.await(
                        link.guarded(Effect.NONE, () -> link.client().runTransaction(attempt, ONE_ATTEMPT)),
                        Effect.UNKNOWN,
                        deadline);
            } catch (BackendException e) {
                Optional<Ended<T>> applied = attempt.applied(e, deadline);
                if (applied.isPresent()) {
                    return applied.get().result();
                }
                if (!FirestoreErrors.isAborted(e) || !ConflictBackoff.pause(conflicts, deadline)) {
                    throw attempt.failure(e);
                }
            }
        }
    }

    /** The result of a body that has run, and the operation names in the fence that it has read. */
    private record Ended<T>(T result, OperationNames before) {}

    private final class Attempt<T> implements Transaction.Function<T> {

        private final String operation = LockId.random().text();
        private final DocumentReference fence;
        private final Consumer<DocumentSnapshot> check;
        private final Transaction.Function<T> body;
        private final Map<String, Object> fields;
        private volatile @Nullable Ended<T> ended;
        private volatile @Nullable Exception thrown;

        Attempt(
                DocumentReference fence,
                Consumer<DocumentSnapshot> check,
                Transaction.Function<T> body,
                Map<String, Object> fields) {
            this.fence = fence;
            this.check = check;
            this.body = body;
            this.fields = fields;
        }

        @Override
        public T updateCallback(Transaction transaction) throws Exception {
            try {
                DocumentSnapshot snapshot = transaction.get(fence).get();
                check.accept(snapshot);
                T result = body.updateCallback(transaction);
                OperationNames names = OperationNames.of(snapshot);
                Map<String, Object> written = new HashMap<>(fields);
                written.put(OperationNames.FIELD, names.with(operation));
                transaction.set(fence, written);
                ended = new Ended<>(result, names);
                return result;
            } catch (Exception e) {
                thrown = e;
                throw e;
            }
        }

        /** Returns the result if the commit failed but had been applied when it was first sent. */
        Optional<Ended<T>> applied(BackendException failure, CallDeadline deadline) {
            Ended<T> before = ended;
            if (before == null || deadline.hasPassed()) {
                return Optional.empty();
            }
            OperationNames now = OperationNames.of(link.readingAgain(failure, () -> link.read(fence, deadline)));
            if (!now.contains(operation) && now.mayLackSome(before.before())) {
                throw link.errors().contended(fence.getPath(), failure);
            }
            return now.contains(operation) ? Optional.of(before) : Optional.empty();
        }

        /** Maps an exception from the body: a failure of the store, before any commit, or the body's own exception. */
        RuntimeException failure(BackendException thrownByStore) {
            Exception own = thrown;
            if (own == null) {
                return thrownByStore;
            }
            if (FirestoreErrors.isOfTheStore(own)) {
                return link.errors().failure(Effect.NONE, own);
            }
            return own instanceof RuntimeException unchecked ? unchecked : new CompletionException(own);
        }
    }
}
