package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Locks in Fenceline's own layout: one document for each key, which holds the token counter and is never deleted. */
final class OwnDocuments implements LockDocuments {

    /** An acquire that loses this often is contended: others took the lock each time. */
    static final int ATTEMPTS = 5;

    /** The remaining time reported for a lease that was not read. */
    static final Duration SHORTLY = Duration.ofMillis(10);

    /** Limit of a lookup by id. An id has one lease, unless its user broke the rules; then the running one is searched. */
    static final int LEASES_OF_AN_ID = 10;

    private final FirestoreLink link;
    private final FirestoreCollections collections;
    private final Redaction redaction;
    private final FirestoreSignals signals;

    OwnDocuments(FirestoreLink link, FirestoreCollections collections, Redaction redaction) {
        this.link = link;
        this.collections = collections;
        this.redaction = redaction;
        this.signals = new FirestoreSignals(link, key -> collections.lock(key.value()), LockDocument::endMillis);
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        ConditionalWrite write =
                new ConditionalWrite(link, collections.lock(request.key().value()), link.deadline(request));
        return write.<Acquisition>attempt(ATTEMPTS, snapshot -> acquired(request, LockDocument.of(snapshot)))
                .orElseGet(() -> {
                    if (write.wasAborted()) { // by a transaction of another client, which need not be a holder
                        throw write.overtaken();
                    }
                    return new Contended(SHORTLY, Optional.empty());
                });
    }

    private DocumentChange<Acquisition> acquired(AcquireRequest request, LockDocument lock) {
        Optional<Grant> running = lock.running();
        if (running.isPresent()) {
            Grant grant = running.get();
            return DocumentChange.none(
                    grant.lockId().equals(request.lockId())
                            ? new Granted(grant)
                            : new Contended(lock.remaining(grant), Optional.of(grant.holder())));
        }
        Checks.tokensLeft(request, lock.lastToken());
        Grant grant = lock.granted(request);
        return DocumentChange.of(new Granted(grant), LockDocument.fieldsOf(grant));
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, long ttlMillis) {
        return change(key, lockId, lock -> {
            Instant end = lock.running(lockId).orElseThrow().expiresAt();
            Instant wanted = lock.now().plusMillis(ttlMillis);
            return wanted.isAfter(end)
                    ? DocumentChange.of(Optional.of(wanted), LockDocument.end(wanted))
                    : DocumentChange.none(Optional.of(end));
        });
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return change(key, lockId, lock -> DocumentChange.of(Optional.of(true), LockDocument.released()))
                .isPresent();
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, long restMillis) {
        return change(key, lockId, lock -> {
                    Instant end = lock.now().plusMillis(restMillis);
                    return DocumentChange.of(Optional.of(true), LockDocument.end(end));
                })
                .isPresent();
    }

    /** Changes the running lease of an id; empty if it has none. */
    private <T> Optional<T> change(
            LockKey key, LockId lockId, Function<LockDocument, DocumentChange<Optional<T>>> decision) {
        ConditionalWrite write = write(key);
        return write.attempt(ATTEMPTS, snapshot -> {
                    LockDocument lock = LockDocument.of(snapshot);
                    return lock.running(lockId).isPresent()
                            ? decision.apply(lock)
                            : DocumentChange.none(Optional.<T>empty());
                })
                .orElseThrow(write::overtaken);
    }

    private ConditionalWrite write(LockKey key) {
        return new ConditionalWrite(link, collections.lock(key.value()));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return record(link.read(collections.lock(key.value()), link.deadline()));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return link
                .read(collections
                        .locks()
                        .whereEqualTo(LockDocument.LOCK_ID, lockId.text())
                        .limit(LEASES_OF_AN_ID))
                .getDocuments()
                .stream()
                .flatMap(
                        found -> link
                                .readingIfValid(
                                        found, sound -> LockDocument.of(sound).record(redaction))
                                .stream())
                .findFirst();
    }

    private Optional<LockRecord> record(DocumentSnapshot snapshot) {
        return link.reading(snapshot, found -> LockDocument.of(found).record(redaction));
    }

    @Override
    public Stream<Object> abilities() {
        return Stream.of(
                signals,
                new FirestoreCatalog(link, collections, redaction),
                new FirestoreFenceCatalog(link, collections),
                new FirestoreDiagnosis(
                        link,
                        any(),
                        collections.locks(),
                        List.of(LockDocument.LOCK_ID, LockDocument.HELD, LockDocument.KEY)));
    }

    @Override
    public DocumentReference any() {
        return collections.lock("fenceline");
    }

    @Override
    public void close() {
        signals.close();
    }
}
