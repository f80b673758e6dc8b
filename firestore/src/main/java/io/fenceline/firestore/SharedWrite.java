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
 * Reads documents, decides, and commits on the condition that nobody has written those that change since they were read. To a
 * transaction of SyncGuard, which reads both of a lock's documents and writes both, this is another that came before or after.
 *
 * <p>Unlike {@link ConditionalWrite} it leaves nothing of its own in the documents. The client library may send a commit again
 * whose answer was lost, and is then told that the condition does not hold; so whoever decides must recognise its own work.
 */
final class SharedWrite {

    private static final int ABORTED_ATTEMPTS = 2;

    private final FirestoreLink link;
    private final List<DocumentReference> documents;
    private final Deadline deadline;
    private @Nullable Throwable refusal;

    SharedWrite(FirestoreLink link, DocumentReference... documents) {
        this(link, link.deadline(), documents);
    }

    SharedWrite(FirestoreLink link, Deadline deadline, DocumentReference... documents) {
        this.link = link;
        this.documents = List.of(documents);
        this.deadline = deadline;
    }

    /**
     * A decision.
     *
     * @param answer what the caller is told
     * @param effect what is written; empty if nothing is
     */
    record Decision<T>(T answer, Optional<Consumer<WriteBatch>> effect) {

        static <T> Decision<T> none(T answer) {
            return new Decision<>(answer, Optional.empty());
        }

        static <T> Decision<T> of(T answer, Consumer<WriteBatch> effect) {
            return new Decision<>(answer, Optional.of(effect));
        }
    }

    /**
     * Does it in a few attempts without a pause.
     *
     * @return the answer, or empty if the last commit was refused as well, which may have been applied when it was first sent
     */
    <T> Optional<T> attempt(int attempts, Function<List<DocumentSnapshot>, Decision<T>> decision) {
        for (int made = 1; ; made++) {
            Optional<T> answer = once(decision);
            if (answer.isPresent() || made >= (wasAborted() ? ABORTED_ATTEMPTS : attempts) || deadline.hasPassed()) {
                return answer;
            }
        }
    }

    /** Does it again after each conflict and a pause, until the time is over. */
    <T> T persist(Function<List<DocumentSnapshot>, Decision<T>> decision) {
        for (int conflicts = 1; ; conflicts++) {
            Optional<T> answer = once(decision);
            if (answer.isPresent()) {
                return answer.get();
            }
            if (!Conflicts.pause(conflicts, deadline)) {
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

    /** Reads the documents and makes something of them. */
    <T> T look(Function<List<DocumentSnapshot>, T> meaning) {
        return link.looking(refusal, () -> {
            List<DocumentSnapshot> snapshots = link.read(documents, deadline);
            return link.reading(snapshots.get(0), first -> meaning.apply(snapshots));
        });
    }

    /** Returns the failure of an operation that was overtaken each time. */
    BackendException overtaken() {
        return link.errors().contended(documents.get(0).getPath(), refusal);
    }

    /** Tells whether the store gave the last attempt up since somebody was at the documents, instead of refusing it. */
    boolean wasAborted() {
        Throwable last = refusal;
        return last != null && FirestoreErrors.isAborted(last);
    }

    /** Writes a document if it still is as it was read. */
    static void put(WriteBatch batch, DocumentSnapshot before, Map<String, Object> fields) {
        if (before.exists()) {
            batch.update(before.getReference(), fields, unchanged(before));
        } else {
            batch.create(before.getReference(), fields);
        }
    }

    /** Deletes a document if it still is as it was read. */
    static void delete(WriteBatch batch, DocumentSnapshot before) {
        batch.delete(before.getReference(), unchanged(before));
    }

    private static Precondition unchanged(DocumentSnapshot before) {
        return Precondition.updatedAt(Objects.requireNonNull(before.getUpdateTime(), "update time"));
    }
}
