package io.fenceline.firestore;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.TransactionOptions;
import com.google.cloud.firestore.WriteBatch;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.time.Ticker;
import io.fenceline.time.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to the store: every call ends in time and fails with a {@link BackendException} only. An interrupt does not end a
 * call, it is kept for the caller, so what is known of the store does not depend on it.
 */
final class FirestoreLink {

    private final Firestore client;
    private final FirestoreErrors errors;
    private final Duration limit;
    private final Ticker ticker;
    private final ServerClock clock;
    private volatile boolean closed;

    FirestoreLink(Firestore client, Duration limit) {
        this(client, limit, Ticker.system(), WallClock.system());
    }

    FirestoreLink(Firestore client, Duration limit, Ticker ticker, WallClock wall) {
        this.client = client;
        this.errors = new FirestoreErrors(where(client));
        this.limit = limit;
        this.ticker = ticker;
        this.clock = new ServerClock(ticker, wall);
    }

    private static String where(Firestore client) {
        String emulator = client.getOptions().getEmulatorHost();
        return "firestore://" + client.getOptions().getProjectId() + "/"
                + client.getOptions().getDatabaseId() + (emulator == null ? "" : "?emulator=" + emulator);
    }

    Firestore client() {
        return client;
    }

    FirestoreErrors errors() {
        return errors;
    }

    ServerClock clock() {
        return clock;
    }

    Deadline deadline() {
        return deadline(limit);
    }

    /** Returns the deadline of an attempt whose caller may wait for less than the command timeout. */
    Deadline deadline(AcquireRequest request) {
        return deadline(request.timeout().compareTo(limit) < 0 ? request.timeout() : limit);
    }

    Deadline deadline(Duration allowed) {
        return new Deadline(ticker, allowed);
    }

    WriteBatch batch() {
        return guarded(Effect.NONE, client::batch);
    }

    /** Reads a document as it is now, or that it is missing. */
    DocumentSnapshot read(DocumentReference document, Deadline deadline) {
        ServerClock.Reading reading = clock.begin();
        DocumentSnapshot snapshot = await(guarded(Effect.NONE, document::get), Effect.NONE, deadline);
        reading.end(snapshot.getReadTime());
        return snapshot;
    }

    /** Reads documents as they are now, or that they are missing, in the order in which they are named. */
    List<DocumentSnapshot> read(List<DocumentReference> documents, Deadline deadline) {
        ServerClock.Reading reading = clock.begin();
        List<DocumentSnapshot> snapshots = await(
                guarded(Effect.NONE, () -> client.getAll(documents.toArray(DocumentReference[]::new))),
                Effect.NONE,
                deadline);
        reading.end(snapshots.get(snapshots.size() - 1).getReadTime());
        return snapshots;
    }

    /** Reads a document as it was, at most an hour ago. */
    DocumentSnapshot readAt(DocumentReference document, Timestamp time, Deadline deadline) {
        TransactionOptions then = TransactionOptions.createReadOnlyOptionsBuilder()
                .setReadTime(time.toProto())
                .build();
        return await(
                guarded(Effect.NONE, () -> client.runAsyncTransaction(reader -> reader.get(document), then)),
                Effect.NONE,
                deadline);
    }

    /**
     * Reads a document of a list; empty if its fields are invalid, so that one damaged document hides no other.
     */
    <T> Optional<T> readingIfSound(DocumentSnapshot snapshot, Function<DocumentSnapshot, Optional<T>> meaning) {
        try {
            return reading(snapshot, meaning);
        } catch (BackendException damaged) {
            return Optional.empty();
        }
    }

    /** Makes something of a document, whose fields somebody else may have spoiled. */
    <T> T reading(DocumentSnapshot snapshot, Function<DocumentSnapshot, T> meaning) {
        try {
            return meaning.apply(snapshot);
        } catch (ClassCastException | IllegalArgumentException | NullPointerException | ArithmeticException damaged) {
            throw errors.damaged(snapshot.getReference().getPath(), damaged);
        }
    }

    /**
     * Looks at documents, perhaps after a commit that was refused.
     *
     * @param refusal how the commit was refused; null if nothing was committed yet
     * @throws BackendException whose effect is unknown after a refusal, which may be that of a commit that had been applied before
     */
    <T> T looking(@Nullable Throwable refusal, Supplier<T> look) {
        try {
            return look.get();
        } catch (BackendException e) {
            throw refusal == null
                    ? e
                    : new BackendException(
                            e.code(), Effect.UNKNOWN, e.getMessage() + "; a commit may have been applied before", e);
        }
    }

    QuerySnapshot read(Query query) {
        return await(guarded(Effect.NONE, query::get), Effect.NONE, deadline());
    }

    /**
     * Applies all of a batch or nothing.
     *
     * @return empty if it was applied, else the store's refusal: a condition of the batch did not hold, or others were at it. The
     *     client may have sent the batch twice, and then the first may have been applied: look
     * @throws BackendException if the store failed otherwise
     */
    Optional<Throwable> commit(WriteBatch batch, Deadline deadline) {
        try {
            apply(batch, deadline);
            return Optional.empty();
        } catch (BackendException e) {
            if (e.getCause() != null && FirestoreErrors.isConflict(e.getCause())) {
                return Optional.of(e.getCause());
            }
            throw e;
        }
    }

    /**
     * Applies all of a batch or nothing.
     *
     * @return when its first document was changed
     * @throws BackendException also if the store refused
     */
    Timestamp apply(WriteBatch batch, Deadline deadline) {
        return await(guarded(Effect.UNKNOWN, batch::commit), Effect.UNKNOWN, deadline)
                .get(0)
                .getUpdateTime();
    }

    /** Waits for an answer, not for longer than there is time. */
    <T> T await(ApiFuture<T> answer, Effect effect, Deadline deadline) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return answer.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw errors.noAnswer(effect, deadline.limit(), e);
        } catch (ExecutionException e) {
            Throwable failure = e.getCause() == null ? e : e.getCause();
            throw closed ? errors.closed(effect, failure) : errors.told(effect, failure);
        } catch (RuntimeException e) { // a cancelled request
            throw closed ? errors.closed(effect, e) : errors.told(effect, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Calls the client, which may have been closed, and which may take an interrupt for its own. */
    <T> T guarded(Effect effect, Supplier<T> call) {
        if (closed) {
            throw errors.closed(Effect.NONE, null);
        }
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw closed ? errors.closed(effect, e) : errors.told(effect, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Refuses calls from now on. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }
}
