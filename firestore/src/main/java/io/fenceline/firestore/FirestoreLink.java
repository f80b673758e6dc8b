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
 * Calls Firestore with a timeout, and maps every failure to a {@link BackendException}. An interrupt does not end a call; the status
 * is kept for the caller.
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

    CallDeadline deadline() {
        return deadline(limit);
    }

    /** Returns the deadline of an attempt: the request's timeout, if shorter than the command timeout. */
    CallDeadline deadline(AcquireRequest request) {
        return deadline(request.timeout().compareTo(limit) < 0 ? request.timeout() : limit);
    }

    CallDeadline deadline(Duration allowed) {
        return new CallDeadline(ticker, allowed);
    }

    WriteBatch batch() {
        return guarded(Effect.NONE, client::batch);
    }

    /** Reads the current state of a document, which may not exist. */
    DocumentSnapshot read(DocumentReference document, CallDeadline deadline) {
        ServerClock.Reading reading = clock.begin();
        DocumentSnapshot snapshot = await(guarded(Effect.NONE, document::get), Effect.NONE, deadline);
        reading.end(snapshot.getReadTime());
        return snapshot;
    }

    /** Reads the current state of documents, which may not exist, in the given order. */
    List<DocumentSnapshot> read(List<DocumentReference> documents, CallDeadline deadline) {
        ServerClock.Reading reading = clock.begin();
        List<DocumentSnapshot> snapshots = await(
                guarded(Effect.NONE, () -> client.getAll(documents.toArray(DocumentReference[]::new))),
                Effect.NONE,
                deadline);
        reading.end(snapshots.get(snapshots.size() - 1).getReadTime());
        return snapshots;
    }

    /** Reads a document as of a time, at most an hour ago. */
    DocumentSnapshot readAt(DocumentReference document, Timestamp time, CallDeadline deadline) {
        TransactionOptions then = TransactionOptions.createReadOnlyOptionsBuilder()
                .setReadTime(time.toProto())
                .build();
        return await(
                guarded(Effect.NONE, () -> client.runAsyncTransaction(reader -> reader.get(document), then)),
                Effect.NONE,
                deadline);
    }

    /**
     * Parses a document of a list; empty if its fields are invalid, so that one damaged document hides no other.
     */
    <T> Optional<T> readingIfValid(DocumentSnapshot snapshot, Function<DocumentSnapshot, Optional<T>> meaning) {
        try {
            return reading(snapshot, meaning);
        } catch (BackendException damaged) {
            return Optional.empty();
        }
    }

    /** Parses a document. Invalid fields are an error. */
    <T> T reading(DocumentSnapshot snapshot, Function<DocumentSnapshot, T> meaning) {
        try {
            return meaning.apply(snapshot);
        } catch (ClassCastException | IllegalArgumentException | NullPointerException | ArithmeticException damaged) {
            throw errors.damaged(snapshot.getReference().getPath(), damaged);
        }
    }

    /**
     * Reads documents, possibly after a refused commit.
     *
     * @param refusal the refusal; null if nothing was committed yet
     * @throws BackendException with effect UNKNOWN after a refusal: the commit may have been applied when it was first sent
     */
    <T> T readingAgain(@Nullable Throwable refusal, Supplier<T> read) {
        try {
            return read.get();
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
     * Commits a batch atomically.
     *
     * @return empty if it was applied, else the refusal: a precondition failed, or another client held a lock. The client may have
     *     sent the batch twice, and the first may have been applied: read again
     * @throws BackendException on any other failure
     */
    Optional<Throwable> commit(WriteBatch batch, CallDeadline deadline) {
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
     * Commits a batch atomically.
     *
     * @return the commit time
     * @throws BackendException also if the store refused
     */
    Timestamp apply(WriteBatch batch, CallDeadline deadline) {
        return await(guarded(Effect.UNKNOWN, batch::commit), Effect.UNKNOWN, deadline)
                .get(0)
                .getUpdateTime();
    }

    /** Waits for a reply until the deadline. */
    <T> T await(ApiFuture<T> answer, Effect effect, CallDeadline deadline) {
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
            throw errors.timedOut(effect, deadline.limit(), e);
        } catch (ExecutionException e) {
            Throwable failure = e.getCause() == null ? e : e.getCause();
            throw closed ? errors.closed(effect, failure) : errors.failure(effect, failure);
        } catch (RuntimeException e) { // a cancelled request
            throw closed ? errors.closed(effect, e) : errors.failure(effect, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Calls the client. It may be closed, and it may clear the interrupt status. */
    <T> T guarded(Effect effect, Supplier<T> call) {
        if (closed) {
            throw errors.closed(Effect.NONE, null);
        }
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw closed ? errors.closed(effect, e) : errors.failure(effect, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Marks the link closed; later calls throw. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }
}
