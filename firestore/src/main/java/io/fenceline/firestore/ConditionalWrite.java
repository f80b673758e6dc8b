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
 * Reads a document, decides, and commits on the condition that nobody has written the document since it was read. The decision
 * and the time of the read, which is the store's, are therefore still right when the commit is applied.
 *
 * <p>It is one atomic step like a transaction of the store and, unlike one, locks nothing in between: a client that is stopped
 * after its read holds up nobody, and its commit is refused when it goes on, if it came too late.
 *
 * <p>Each operation leaves a name of its own in the document, by which its next read recognises its own commit. If so many others
 * have written meanwhile that the name may be gone, it fails with {@link Effect#UNKNOWN}.
 */
final class ConditionalWrite {

    private static final int ABORTED_ATTEMPTS = 2;

    private final FirestoreLink link;
    private final DocumentReference document;
    private final Deadline deadline;
    private final String operation = LockId.random().text();
    private @Nullable Throwable refusal;

    ConditionalWrite(FirestoreLink link, DocumentReference document) {
        this(link, document, link.deadline());
    }

    ConditionalWrite(FirestoreLink link, DocumentReference document, Deadline deadline) {
        this.link = link;
        this.document = document;
        this.deadline = deadline;
    }

    /**
     * Does it in a few attempts without a pause.
     *
     * @param attempts how many; each that fails was overtaken by another that succeeded. Fewer if the store itself gave them up,
     *     which it does after some seconds
     * @return the answer, or empty if all were overtaken; then nothing was changed, unless the last was given up by the store
     * @throws io.fenceline.BackendException also if the time was over before that was seen
     */
    <T> Optional<T> attempt(int attempts, Function<DocumentSnapshot, Change<T>> decision) {
        return repeat(
                decision,
                conflicts -> conflicts < (wasAborted() ? ABORTED_ATTEMPTS : attempts) && !deadline.hasPassed());
    }

    /**
     * Does it again after each conflict and a pause, until the time is over.
     *
     * @return the answer
     * @throws io.fenceline.BackendException also if others were faster until the end
     */
    <T> T persist(Function<DocumentSnapshot, Change<T>> decision) {
        return repeat(decision, conflicts -> Conflicts.pause(conflicts, deadline))
                .orElseThrow(this::overtaken);
    }

    /** Returns the failure of an operation that was overtaken each time. */
    BackendException overtaken() {
        return link.errors().contended(document.getPath(), refusal);
    }

    /** Tells whether the store gave the last attempt up since somebody was at the document, instead of refusing it. */
    boolean wasAborted() {
        Throwable last = refusal;
        return last != null && FirestoreErrors.isAborted(last);
    }

    private <T> Optional<T> repeat(Function<DocumentSnapshot, Change<T>> decision, IntPredicate again) {
        int conflicts = 0;
        Change<T> last = null;
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
            last = link.looking(refusal, () -> link.reading(snapshot, decision));
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
        return link.looking(refusal, () -> link.read(document, deadline));
    }

    /** Tells whether the commit that was refused had been applied, when it was first sent. */
    private boolean wasApplied(DocumentSnapshot before, DocumentSnapshot now) {
        OperationNames names = OperationNames.of(now);
        if (!names.contains(operation) && names.mayLackSome(OperationNames.of(before))) {
            throw overtaken();
        }
        return names.contains(operation);
    }

    /** If the document is as it was, the refusal was for the sake of something else in the batch. */
    private void requireOvertaken(DocumentSnapshot before, DocumentSnapshot now) {
        Throwable refused = refusal;
        if (refused != null
                && !FirestoreErrors.isAborted(refused)
                && Objects.equals(before.getUpdateTime(), now.getUpdateTime())) {
            throw link.errors().notPossible(refused);
        }
    }

    private boolean commit(DocumentSnapshot snapshot, Change<?> change) {
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
