package io.fenceline.firestore;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteBatch;
import io.fenceline.Effect;
import io.fenceline.LockId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a document, decides, and commits on the condition that nobody has written the document since it was read. The decision
 * and the time of the read, which is the store's, are therefore still right when the commit is applied.
 *
 * <p>It is one atomic step like a transaction of the store and, unlike one, locks nothing in between: a client that is stopped
 * after its read holds up nobody, and its commit is refused when it goes on, if it came too late.
 *
 * <p>The client library may send a commit again whose answer was lost, and is then told that the condition does not hold. So
 * each operation leaves a name of its own in the document, by which its next read recognises its own commit.
 */
final class ConditionalWrite {

    /** The name of the operation that wrote the document last. */
    static final String OPERATION = "operation";

    private final FirestoreLink link;
    private final DocumentReference document;
    private final Deadline deadline;
    private final String operation = LockId.random().text();
    private @Nullable Throwable refusal;

    ConditionalWrite(FirestoreLink link, DocumentReference document) {
        this.link = link;
        this.document = document;
        this.deadline = link.deadline();
    }

    Deadline deadline() {
        return deadline;
    }

    /** Returns why the last attempt was refused. */
    @Nullable
    Throwable refusal() {
        return refusal;
    }

    /**
     * Does it in a few attempts.
     *
     * @param attempts how many; each that fails was overtaken by another that succeeded
     * @return the answer, or empty if all were overtaken; then nothing was changed
     */
    <T> Optional<T> attempt(int attempts, Function<DocumentSnapshot, Change<T>> decision) {
        Change<T> last = null;
        for (int i = 0; i < attempts && !(i > 0 && deadline.hasPassed()); i++) {
            DocumentSnapshot snapshot = link.read(document, deadline);
            if (last != null && operation.equals(snapshot.get(OPERATION))) {
                return Optional.of(last.answer());
            }
            last = link.reading(snapshot, decision);
            if (!last.writes() || commit(snapshot, last)) {
                return Optional.of(last.answer());
            }
        }
        return Optional.empty();
    }

    private boolean commit(DocumentSnapshot snapshot, Change<?> change) {
        WriteBatch batch = link.batch();
        Map<String, Object> fields = new HashMap<>(change.fields());
        fields.put(OPERATION, operation);
        link.guarded(Effect.NONE, () -> snapshot.exists()
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
