package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Transaction;
import com.google.cloud.firestore.WriteBatch;
import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import io.fenceline.telemetry.LockListeners;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Guards documents. The fence is a separate document, {@code PREFIX_fences/RESOURCE}, so deletes and ttl policies of the data do
 * not lower it.
 *
 * <p>{@link #set}, {@link #update}, {@link #delete} and {@link #write} read the fence and commit it together with the effect, on
 * the condition that the fence has not been written since: one atomic step without locks. A writer that is stopped after its check
 * blocks no other, and its commit is refused if another has claimed or written meanwhile. After a conflict the check is repeated,
 * within the time limit.
 *
 * <p>{@link #transact} is for effects that must read what they change: a transaction of the store that checks the fence first. The
 * store locks the documents that a transaction has read until it ends, for up to a minute if its client is stopped. A {@link
 * #claim}, reads and a {@link #write} need no such locks.
 *
 * <p>Code that writes to the data without this guard is not refused. Firestore's security rules can, where clients other than
 * servers write.
 */
public final class FirestoreFenceGuard implements FenceGuard {

    private final FirestoreLink link;
    private final FirestoreCollections collections;
    private final FirestoreGuardOptions options;
    private final GuardedTransactions transactions;

    private FirestoreFenceGuard(FirestoreLink link, FirestoreGuardOptions options) {
        this.link = link;
        this.options = options;
        this.collections = new FirestoreCollections(link.client(), options.prefix());
        this.transactions = new GuardedTransactions(link);
    }

    /**
     * Returns a guard with the default options. Sends nothing yet.
     *
     * @param client a client of the database with the data; never closed by the guard
     * @return the guard
     */
    public static FirestoreFenceGuard on(Firestore client) {
        return on(client, FirestoreGuardOptions.defaults());
    }

    /**
     * Returns a guard. Sends nothing yet.
     *
     * @param client a client of the database with the data; never closed by the guard
     * @param options how the guard works
     * @return the guard
     */
    public static FirestoreFenceGuard on(Firestore client, FirestoreGuardOptions options) {
        return new FirestoreFenceGuard(new FirestoreLink(client, options.timeout()), options);
    }

    /** Returns a guard on an existing link. */
    static FirestoreFenceGuard on(FirestoreLink link, FirestoreGuardOptions options) {
        return new FirestoreFenceGuard(link, options);
    }

    /**
     * Returns the resource name of a document: its path, such as {@code invoices/42}.
     *
     * @param document a document of the guard's database
     * @return the name that {@link #set}, {@link #update} and {@link #delete} guard it by
     */
    public static String resource(DocumentReference document) {
        return document.getPath();
    }

    /**
     * Creates or replaces a document.
     *
     * @param document the document, guarded as {@link #resource}
     * @param stamp the writer's key and token
     * @param fields all that it will contain
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the document belongs to another lock key; nothing is changed
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the path has more than 512 bytes; {@link #write} takes a shorter name
     */
    public void set(DocumentReference document, FenceStamp stamp, Map<String, Object> fields) {
        write(resource(document), stamp, batch -> batch.set(document, fields));
    }

    /**
     * Changes fields of a document that exists.
     *
     * @param document the document, guarded as {@link #resource}
     * @param stamp the writer's key and token
     * @param fields new values by path; {@link com.google.cloud.firestore.FieldValue}s are possible and act once
     * @return whether it was done; false if there is no such document, then nothing is changed
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the document belongs to another lock key; nothing is changed
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the path has more than 512 bytes; {@link #write} takes a shorter name
     */
    public boolean update(DocumentReference document, FenceStamp stamp, Map<String, Object> fields) {
        try {
            write(resource(document), stamp, batch -> batch.update(document, fields));
            return true;
        } catch (BackendException e) {
            if (e.code() == ErrorCode.ABORTED && e.getCause() != null && FirestoreErrors.isNotFound(e.getCause())) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Deletes a document; its fence stays. No-op if the document does not exist.
     *
     * @param document the document, guarded as {@link #resource}
     * @param stamp the writer's key and token
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the document belongs to another lock key; nothing is changed
     * @throws BackendException if the store fails
     * @throws IllegalArgumentException if the path has more than 512 bytes; {@link #write} takes a shorter name
     */
    public void delete(DocumentReference document, FenceStamp stamp) {
        write(resource(document), stamp, batch -> batch.delete(document));
    }

    /**
     * Writes any documents of the database in one commit with the check.
     *
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @param effect puts the writes into a batch, which is not committed by it; called again after a conflict
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the resource belongs to another lock key; nothing is changed
     * @throws BackendException if the store fails; with {@link io.fenceline.ErrorCode#ABORTED} a condition of the effect did
     *     not hold. If the effect is {@link io.fenceline.Effect#UNKNOWN}, all was written or nothing
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public void write(String resource, FenceStamp stamp, Consumer<WriteBatch> effect) {
        String name = ResourceName.of(resource).value();
        try (GuardCheck check = begin(GuardAct.WRITE, name, stamp)) {
            fence(name).persist(snapshot -> {
                FenceDocument.of(snapshot)
                        .ifPresent(fence ->
                                fence.onWrite(stamp, options.rule()).orThrow(name, stamp, options.listeners()));
                return DocumentChange.of(stamp, FenceDocument.fieldsOf(name, Fence.written(stamp)))
                        .with(effect);
            });
            check.accepted();
        }
    }

    private GuardCheck begin(GuardAct act, String name, FenceStamp stamp) {
        return GuardCheck.begin(options.listeners(), act, name, stamp);
    }

    /**
     * Reads and writes any documents of the database in one transaction with the check. A transaction with a result goes to
     * {@link #call}.
     *
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @param task reads, then writes; called again after a conflict, on a thread of the client
     * @throws StaleTokenException if a greater token was seen; the task did not run
     * @throws ForeignTokenException if the resource belongs to another lock key; the task did not run
     * @throws BackendException as {@link #call} does
     * @throws java.util.concurrent.CompletionException as {@link #call} does
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public void transact(String resource, FenceStamp stamp, TransactionTask task) {
        call(resource, stamp, transaction -> {
            task.run(transaction);
            return true;
        });
    }

    /**
     * Reads and writes any documents of the database in one transaction with the check, with a result.
     *
     * @param <T> what the body returns
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @param body reads, then writes; called again after a conflict, on a thread of the client
     * @return what the body returned, when all is committed
     * @throws StaleTokenException if a greater token was seen; the body did not run
     * @throws ForeignTokenException if the resource belongs to another lock key; the body did not run
     * @throws BackendException if the store fails. If the effect is {@link io.fenceline.Effect#UNKNOWN}, all was written or
     *     nothing, or may yet be written
     * @throws java.util.concurrent.CompletionException if the body throws a checked exception, which is the cause; nothing is
     *     changed. Unchecked exceptions are rethrown
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public <T> T call(String resource, FenceStamp stamp, Transaction.Function<T> body) {
        String name = ResourceName.of(resource).value();
        try (GuardCheck check = begin(GuardAct.WRITE, name, stamp)) {
            return check.accepted(transaction(name, stamp, body));
        }
    }

    private <T> T transaction(String name, FenceStamp stamp, Transaction.Function<T> body) {
        AtomicReference<@Nullable Verdict> last = new AtomicReference<>();
        try {
            return transactions.run(
                    collections.fence(name),
                    snapshot -> {
                        Verdict verdict = link.reading(snapshot, FenceDocument::of)
                                .map(fence -> fence.onWrite(stamp, options.rule()))
                                .orElse(new Verdict.Accepted());
                        last.set(verdict);
                        verdict.orThrow(name, stamp, LockListeners.NONE);
                    },
                    body,
                    FenceDocument.fieldsOf(name, Fence.written(stamp)));
        } catch (RefusedWriteException e) {
            // Notify listeners here, on the caller's thread. The body may use other guards.
            Verdict ours = last.get();
            if (ours != null) {
                ours.orThrow(name, stamp, options.listeners());
            }
            throw e;
        }
    }

    @Override
    public void claim(String resource, FenceStamp stamp) {
        String name = ResourceName.of(resource).value();
        try (GuardCheck check = begin(GuardAct.CLAIM, name, stamp)) {
            fence(name).persist(snapshot -> {
                Optional<Fence> known = FenceDocument.of(snapshot);
                known.ifPresent(fence -> fence.onClaim(stamp).orThrow(name, stamp, options.listeners()));
                Fence claimed = known.map(fence -> fence.afterClaim(stamp)).orElseGet(() -> Fence.claimed(stamp));
                return known.filter(claimed::equals).isPresent()
                        ? DocumentChange.none(stamp)
                        : DocumentChange.of(stamp, FenceDocument.fieldsOf(name, claimed));
            });
            check.accepted();
        }
    }

    @Override
    public Verdict check(String resource, FenceStamp stamp) {
        return read(resource).map(fence -> fence.onWrite(stamp, options.rule())).orElse(new Verdict.Accepted());
    }

    @Override
    public Optional<FenceStamp> highest(String resource) {
        return read(resource).map(Fence::stamp);
    }

    private Optional<Fence> read(String resource) {
        String name = ResourceName.of(resource).value();
        return link.reading(link.read(collections.fence(name), link.deadline()), FenceDocument::of);
    }

    private ConditionalWrite fence(String name) {
        return new ConditionalWrite(link, collections.fence(name));
    }
}
