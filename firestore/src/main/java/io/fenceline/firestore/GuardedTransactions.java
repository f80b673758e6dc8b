package io.fenceline.firestore;

import com.google.cloud.firestore.Transaction;
import com.google.cloud.firestore.TransactionOptions;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions of the store within a time limit.
 *
 * <p>The client would also repeat a transaction whose commit was not answered, which makes its effect twice if the first commit
 * was applied. So it gets one attempt, and only what the store gave up after a conflict is repeated here.
 */
final class GuardedTransactions {

    private static final TransactionOptions ONE_ATTEMPT = TransactionOptions.createReadWriteOptionsBuilder()
            .setNumberOfAttempts(1)
            .build();

    private final FirestoreLink link;

    GuardedTransactions(FirestoreLink link) {
        this.link = link;
    }

    <T> T run(Transaction.Function<T> body) {
        Deadline deadline = link.deadline();
        for (int conflicts = 1; ; conflicts++) {
            Attempt<T> attempt = new Attempt<>(body);
            try {
                return link.await(
                        link.guarded(Effect.NONE, () -> link.client().runTransaction(attempt, ONE_ATTEMPT)),
                        Effect.UNKNOWN,
                        deadline);
            } catch (BackendException e) {
                if (!FirestoreErrors.isAborted(e) || !Conflicts.pause(conflicts, deadline)) {
                    throw attempt.failure(e);
                }
            }
        }
    }

    private final class Attempt<T> implements Transaction.Function<T> {

        private final Transaction.Function<T> body;
        private volatile @Nullable Exception thrown;

        Attempt(Transaction.Function<T> body) {
            this.body = body;
        }

        @Override
        public T updateCallback(Transaction transaction) throws Exception {
            try {
                return body.updateCallback(transaction);
            } catch (Exception e) {
                thrown = e;
                throw e;
            }
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
