package io.fenceline.firestore;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteBatch;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.LockId;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Optimistic read-modify-write: reads a document, decides, and commits on the condition that the document has not been written
 * since. The decision, and the store's time of the read, are therefore still valid when the commit is applied.
 *
 * <p>It is atomic like a transaction of the store, but holds no lock between read and commit. A client that is stopped in between
 * blocks no other client, and its late commit is refused.
 *
 * <p>Each operation leaves a random name in the document, by which its next read recognizes its own commit. If so many others have
 * written since that the name may be gone, it fails with {@link Effect#UNKNOWN}.
 */
final class ConditionalWrite {

    private static final int ABORTED_ATTEMPTS = 2;

    private final FirestoreLink link;
    private final DocumentReference document;
    private final CallDeadline deadline;
    private final String operation = LockId.random().text();
    private @Nullable Throwable refusal;

    ConditionalWrite(FirestoreLink link, DocumentReference document) {
        this(link, document, link.deadline());
    }

    ConditionalWrite(FirestoreLink link, DocumentReference document, CallDeadline deadline) {
        this.link = link;
        this.document = document;
        this.deadline = deadline;
    }

    /**
     * Tries a few times without a pause.
     *
     * @param attempts the maximum; each failed attempt lost against another that succeeded. Fewer if the store itself aborted
     *     them, which takes some seconds each
     * @return the result, or empty if all attempts lost; then nothing was changed, unless the store aborted the last one
     * @throws io.fenceline.BackendException also if the deadline passed before that was known
     */
    <T> Optional<T> attempt(int attempts, Function<DocumentSnapshot, DocumentChange<T>> decision) {
        return repeat(
                decision,
                conflicts -> conflicts < (wasAborted() ? ABORTED_ATTEMPTS : attempts) && !deadline.hasPassed());
    }

    /**
     * Retries after each conflict, with pauses, until the deadline.
     *
     * @return the result
     * @throws io.fenceline.BackendException also if every attempt lost
     */
    <T> T persist(Function<DocumentSnapshot, DocumentChange<T>> decision) {
        return repeat(decision, conflicts -> ConflictBackoff.pause(conflicts, deadline))
                .orElseThrow(this::overtaken);
    }

    /** Returns the failure of an operation whose every attempt lost. */
    BackendException overtaken() {
        return link.errors().contended(document.getPath(), refusal);
    }

    /** Returns whether the store aborted the last attempt because of a lock on the document, instead of refusing it. */
    boolean wasAborted() {
        Throwable last = refusal;
        return last != null && FirestoreErrors.isAborted(last);
    }

    private <T> Optional<T> repeat(Function<DocumentSnapshot, DocumentChange<T>> decision, IntPredicate again) {
        int conflicts = 0;
        DocumentChange<T> last = null;
        DocumentSnapshot before = null;
        do {
            DocumentSnapshot snapshot = look();
            if (before != null && last != null) {
                if (wasApplied(before, snapshot)) {
                    return Optional.of(last.answer());
                }
                requireOvertaken(before, snapshot);
            }
            before = snapshot;
            last = link.readingAgain(refusal, () -> link.reading(snapshot, decision));
            if (!last.writes() || commit(snapshot, last)) {
                return Optional.of(last.answer());
            }
        } while (again.test(++conflicts));
        if (deadline.hasPassed()) {
            throw overtaken();
        }
        return wasApplied(before, look()) ? Optional.of(last.answer()) : Optional.empty();
    }

    private DocumentSnapshot look() {
        return link.readingAgain(refusal, () -> link.read(document, deadline));
    }

    /** Returns whether the refused commit had been applied when it was first sent. */
    private boolean wasApplied(DocumentSnapshot before, DocumentSnapshot now) {
        OperationNames names = OperationNames.of(now);
        if (!names.contains(operation) && names.mayLackSome(OperationNames.of(before))) {
            throw overtaken();
        }
        return names.contains(operation);
    }

    /** If the document is unchanged, another write of the batch was refused. */
    private void requireOvertaken(DocumentSnapshot before, DocumentSnapshot now) {
        Throwable refused = refusal;
        if (refused != null
                && !FirestoreErrors.isAborted(refused)
                && Objects.equals(before.getUpdateTime(), now.getUpdateTime())) {
            throw link.errors().notPossible(refused);
        }
    }

    private boolean commit(DocumentSnapshot snapshot, DocumentChange<?> change) {
        WriteBatch batch = link.batch();
        Map<String, Object> fields = new HashMap<>(change.fields());
        fields.put(OperationNames.FIELD, OperationNames.of(snapshot).with(operation));
        link.guarded(
                Effect.NONE,
                () -> snapshot.exists()
                        ? batch.update(document, fields, Precondition.updatedAt(updateTime(snapshot)))
                        : batch.create(document, fields));
        change.effect().accept(batch);
        Optional<Throwable> refused = link.commit(batch, deadline);
        refusal = refused.orElse(null);
        return refused.isEmpty();
    }

    private Timestamp updateTime(DocumentSnapshot snapshot) {
        Timestamp time = snapshot.getUpdateTime();
        if (time == null) {
            throw link.errors().damaged(document.getPath(), new IllegalStateException("no update time"));
        }
        return time;
    }
}
