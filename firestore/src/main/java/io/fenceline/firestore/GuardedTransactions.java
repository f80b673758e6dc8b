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
 * <p>The client would also repeat a transaction whose commit was not answered, which makes its effect twice if the first commit
 * was applied. So it gets one attempt, and only what the store gave up after a conflict is repeated here. The client may still send
 * the commit itself again, and is then told that the transaction is over; so each leaves its name in the fence.
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
     * Runs a transaction.
     *
     * @param fence the document that is read first and written last
     * @param check sees the fence before the body runs; what it throws is passed on
     * @param fields the fence's new fields
     */
    <T> T run(
            DocumentReference fence,
            Consumer<DocumentSnapshot> check,
            Transaction.Function<T> body,
            Map<String, Object> fields) {
        Deadline deadline = link.deadline();
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
                if (!FirestoreErrors.isAborted(e) || !Conflicts.pause(conflicts, deadline)) {
                    throw attempt.failure(e);
                }
            }
        }
    }

    /**
     * A body that has run.
     *
     * @param before the names in the fence that it has read
     */
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

        /** Returns what the body answered if its commit failed and yet had been applied, when it was first sent. */
        Optional<Ended<T>> applied(BackendException failure, Deadline deadline) {
            Ended<T> before = ended;
            if (before == null || deadline.hasPassed()) {
                return Optional.empty();
            }
            OperationNames now = OperationNames.of(link.looking(failure, () -> link.read(fence, deadline)));
            if (!now.contains(operation) && now.mayLackSome(before.before())) {
                throw link.errors().contended(fence.getPath(), failure);
            }
            return now.contains(operation) ? Optional.of(before) : Optional.empty();
        }

        /** What the store threw into the body is the store's failure, before any commit. What else it threw is its own. */
        RuntimeException failure(BackendException told) {
            Exception own = thrown;
            if (own == null) {
                return told;
            }
            if (FirestoreErrors.isOfTheStore(own)) {
                return link.errors().told(Effect.NONE, own);
            }
            return own instanceof RuntimeException unchecked ? unchecked : new CompletionException(own);
        }
    }
}
