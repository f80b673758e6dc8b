package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.firestore.SyncGuardWrite.Decision;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Locks in SyncGuard's layout: a document for each lease, deleted on release, and a document for each key's counter, which stays.
 *
 * <p>Differences from SyncGuard: time is the store's and not a client's; a lease is found by its key and not by a query, so another
 * document with its id is never touched; the token limit is checked before anything is written.
 */
final class SyncGuardDocuments implements LockDocuments {

    private final FirestoreLink link;
    private final SyncGuardCollections collections;
    private final UnaryOperator<Instant> clock;
    private final Redaction redaction;
    private final FirestoreSignals signals;

    SyncGuardDocuments(
            FirestoreLink link, SyncGuardCollections collections, UnaryOperator<Instant> clock, Redaction redaction) {
        this.link = link;
        this.collections = collections;
        this.clock = clock;
        this.redaction = redaction;
        this.signals = new FirestoreSignals(link, collections::lock, SyncGuardLockDocument::endMillis);
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        SyncGuardWrite write = new SyncGuardWrite(
                link, link.deadline(request), collections.lock(request.key()), collections.fence(request.key()));
        return write.<Acquisition>attempt(OwnDocuments.ATTEMPTS, found -> acquired(request, found.get(0), found.get(1)))
                .orElseGet(() -> overtaken(request, write));
    }

    /** Reads once more: the refused commit may have been applied when it was first sent. */
    private Acquisition overtaken(AcquireRequest request, SyncGuardWrite write) {
        Optional<Grant> ours = write.look(found -> read(found.get(0))
                .running(request.lockId())
                .map(grant -> SyncGuardLockDocument.regranted(
                        grant, request, SyncGuardLockDocument.lastToken(found.get(1)))));
        if (ours.isPresent()) {
            return new Granted(ours.get());
        }
        if (write.wasAborted()) { // by a transaction of SyncGuard, which need not end with a grant
            throw write.overtaken();
        }
        return new Contended(OwnDocuments.SHORTLY, Optional.empty());
    }

    private Decision<Acquisition> acquired(
            AcquireRequest request, DocumentSnapshot document, DocumentSnapshot counter) {
        SyncGuardLockDocument lock = read(document);
        Optional<Grant> running = lock.running();
        if (running.isPresent()) {
            Grant standing = running.get();
            return Decision.none(
                    standing.lockId().equals(request.lockId())
                            ? new Granted(SyncGuardLockDocument.regranted(
                                    standing, request, SyncGuardLockDocument.lastToken(counter)))
                            : new Contended(lock.remaining(standing), Optional.empty()));
        }
        long last = SyncGuardLockDocument.lastToken(counter);
        Checks.tokensLeft(request, last);
        Grant grant = lock.granted(request, last);
        return Decision.of(new Granted(grant), batch -> {
            SyncGuardWrite.put(batch, counter, SyncGuardLockDocument.counter(request.key(), grant.lastToken()));
            SyncGuardWrite.put(batch, document, SyncGuardLockDocument.fieldsOf(grant));
        });
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, long ttlMillis) {
        return change(key, lockId, (document, lock) -> {
            Instant end = lock.running(lockId).orElseThrow().expiresAt();
            Instant wanted = lock.now().plusMillis(ttlMillis);
            return wanted.isAfter(end)
                    ? Decision.of(
                            Optional.of(wanted),
                            batch -> SyncGuardWrite.put(batch, document, SyncGuardLockDocument.end(wanted)))
                    : Decision.none(Optional.of(end));
        });
    }

    /** {@inheritDoc} If the client resent the commit, returns false although the first one was applied. */
    @Override
    public boolean release(LockKey key, LockId lockId) {
        return change(
                        key,
                        lockId,
                        (document, lock) ->
                                Decision.of(Optional.of(true), batch -> SyncGuardWrite.delete(batch, document)))
                .isPresent();
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, long restMillis) {
        return change(key, lockId, (document, lock) -> {
                    Instant end = lock.now().plusMillis(restMillis);
                    return Decision.of(
                            Optional.of(true),
                            batch -> SyncGuardWrite.put(batch, document, SyncGuardLockDocument.end(end)));
                })
                .isPresent();
    }

    /** Changes the running lease of an id; empty if it has none. */
    private <T> Optional<T> change(
            LockKey key,
            LockId lockId,
            BiFunction<DocumentSnapshot, SyncGuardLockDocument, Decision<Optional<T>>> decision) {
        SyncGuardWrite write = new SyncGuardWrite(link, collections.lock(key));
        return write.attempt(OwnDocuments.ATTEMPTS, (List<DocumentSnapshot> found) -> {
                    SyncGuardLockDocument lock = read(found.get(0));
                    return lock.running(lockId).isPresent()
                            ? decision.apply(found.get(0), lock)
                            : Decision.none(Optional.<T>empty());
                })
                .orElseThrow(write::overtaken);
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return record(link.read(collections.lock(key), link.deadline()));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return link
                .read(collections
                        .locks()
                        .whereEqualTo(SyncGuardLockDocument.LOCK_ID, lockId.text())
                        .limit(OwnDocuments.LEASES_OF_AN_ID))
                .getDocuments()
                .stream()
                .flatMap(
                        found -> link.readingIfValid(found, sound -> read(sound).record(redaction)).stream())
                .findFirst();
    }

    private Optional<LockRecord> record(DocumentSnapshot snapshot) {
        return link.reading(snapshot, found -> read(found).record(redaction));
    }

    private SyncGuardLockDocument read(DocumentSnapshot snapshot) {
        return SyncGuardLockDocument.of(snapshot, clock.apply(ServerClock.instant(snapshot.getReadTime())));
    }

    @Override
    public Stream<Object> abilities() {
        return Stream.of(
                signals,
                new SyncGuardDocumentCatalog(link, collections, this::read, redaction),
                new FirestoreDiagnosis(link, any(), collections.locks(), List.of(SyncGuardLockDocument.LOCK_ID)));
    }

    @Override
    public DocumentReference any() {
        return collections.locks().document("fenceline");
    }

    @Override
    public void close() {
        signals.close();
    }
}
