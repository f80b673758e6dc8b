package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteBatch;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Optimistic read-modify-write on SyncGuard's documents: commits on the condition that the changed documents have not been written
 * since they were read. It is serializable with SyncGuard's transactions, which read and write both documents of a lock.
 *
 * <p>Unlike {@link ConditionalWrite} it adds nothing to the documents. The client library may resend a commit whose reply was lost,
 * and the second one is refused; so the caller must recognize its own write.
 */
final class SyncGuardWrite {

    private static final int ABORTED_ATTEMPTS = 2;

    private final FirestoreLink link;
    private final List<DocumentReference> documents;
    private final CallDeadline deadline;
    private @Nullable Throwable refusal;

    SyncGuardWrite(FirestoreLink link, DocumentReference... documents) {
        this(link, link.deadline(), documents);
    }

    SyncGuardWrite(FirestoreLink link, CallDeadline deadline, DocumentReference... documents) {
        this.link = link;
        this.documents = List.of(documents);
        this.deadline = deadline;
    }

    /** A result, and the writes that it takes, if any. */
    record Decision<T>(T answer, Optional<Consumer<WriteBatch>> effect) {

        static <T> Decision<T> none(T answer) {
            return new Decision<>(answer, Optional.empty());
        }

        static <T> Decision<T> of(T answer, Consumer<WriteBatch> effect) {
            return new Decision<>(answer, Optional.of(effect));
        }
    }

    /**
     * Tries a few times without a pause.
     *
     * @return the result, or empty if the last commit was refused too; it may have been applied when it was first sent
     */
    <T> Optional<T> attempt(int attempts, Function<List<DocumentSnapshot>, Decision<T>> decision) {
        for (int made = 1; ; made++) {
            Optional<T> answer = once(decision);
            if (answer.isPresent() || made >= (wasAborted() ? ABORTED_ATTEMPTS : attempts) || deadline.hasPassed()) {
                return answer;
            }
        }
    }

    /** Retries after each conflict, with pauses, until the deadline. */
    <T> T persist(Function<List<DocumentSnapshot>, Decision<T>> decision) {
        for (int conflicts = 1; ; conflicts++) {
            Optional<T> answer = once(decision);
            if (answer.isPresent()) {
                return answer.get();
            }
            if (!ConflictBackoff.pause(conflicts, deadline)) {
                throw overtaken();
            }
        }
    }

    private <T> Optional<T> once(Function<List<DocumentSnapshot>, Decision<T>> decision) {
        Decision<T> decided = look(decision);
        if (decided.effect().isEmpty()) {
            return Optional.of(decided.answer());
        }
        WriteBatch batch = link.batch();
        link.guarded(Effect.NONE, () -> {
            decided.effect().get().accept(batch);
            return batch;
        });
        refusal = link.commit(batch, deadline).orElse(null);
        return refusal == null ? Optional.of(decided.answer()) : Optional.empty();
    }

    /** Reads and parses the documents. */
    <T> T look(Function<List<DocumentSnapshot>, T> meaning) {
        return link.readingAgain(refusal, () -> {
            List<DocumentSnapshot> snapshots = link.read(documents, deadline);
            return link.reading(snapshots.get(0), first -> meaning.apply(snapshots));
        });
    }

    /** Returns the failure of an operation whose every attempt lost. */
    BackendException overtaken() {
        return link.errors().contended(documents.get(0).getPath(), refusal);
    }

    /** Returns whether the store aborted the last attempt because of a lock on a document, instead of refusing it. */
    boolean wasAborted() {
        Throwable last = refusal;
        return last != null && FirestoreErrors.isAborted(last);
    }

    /** Writes a document if it is unchanged. */
    static void put(WriteBatch batch, DocumentSnapshot before, Map<String, Object> fields) {
        if (before.exists()) {
            batch.update(before.getReference(), fields, unchanged(before));
        } else {
            batch.create(before.getReference(), fields);
        }
    }

    /** Deletes a document if it is unchanged. */
    static void delete(WriteBatch batch, DocumentSnapshot before) {
        batch.delete(before.getReference(), unchanged(before));
    }

    private static Precondition unchanged(DocumentSnapshot before) {
        return Precondition.updatedAt(Objects.requireNonNull(before.getUpdateTime(), "update time"));
    }
}
