package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.firestore.SyncGuardWrite.Decision;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Lists leases in SyncGuard's layout and changes locks for operators. That layout has no audit records, so acts are logged.
 */
final class SyncGuardDocumentCatalog implements LockCatalog {

    private static final Logger LOGGER = System.getLogger(SyncGuardDocumentCatalog.class.getName());
    private static final int PAGE = 300;

    private final FirestoreLink link;
    private final SyncGuardCollections collections;
    private final Function<DocumentSnapshot, SyncGuardLockDocument> reader;
    private final Redaction redaction;

    SyncGuardDocumentCatalog(
            FirestoreLink link,
            SyncGuardCollections collections,
            Function<DocumentSnapshot, SyncGuardLockDocument> reader,
            Redaction redaction) {
        this.link = link;
        this.collections = collections;
        this.reader = reader;
        this.redaction = redaction;
    }

    /**
     * {@inheritDoc} Sorted by document name, which is the key in NFC; SyncGuard stores the field unnormalized. Also reads the documents of
     * leases that expired without a release, and skips them.
     */
    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        String start = Normalizer.normalize(prefix, Normalizer.Form.NFC);
        List<LockRecord> running = new ArrayList<>();
        Query query = collections.locksFrom(start).limit(PAGE);
        while (true) {
            List<QueryDocumentSnapshot> page = link.read(query).getDocuments();
            for (QueryDocumentSnapshot found : page) {
                String name = found.getId();
                if (name.startsWith(start)) {
                    if (running.size() == limit) {
                        return running;
                    }
                    link.readingIfValid(
                                    found, document -> reader.apply(document).record(redaction))
                            .filter(lock -> SyncGuardCollections.isNameOf(
                                    name, lock.raw().key()))
                            .ifPresent(running::add);
                } else if (name.compareTo(start) > 0) {
                    return running;
                }
            }
            if (page.size() < PAGE) {
                return running;
            }
            query = query.startAfter(page.get(PAGE - 1));
        }
    }

    @Override
    public List<KeyToken> tokens(String prefix, String after, int limit) {
        Checks.limit(limit);
        String start = LockKey.prefix(prefix);
        if (start.contains("/")) {
            return List.of(); // no key of this layout has one
        }
        Query page = collections.fencesFrom(start, LockKey.prefix(after)).limit(limit);
        return link.read(page).getDocuments().stream()
                .filter(found -> found.getId().startsWith(SyncGuardCollections.COUNTER + start))
                .flatMap(found -> link.readingIfValid(found, SyncGuardDocumentCatalog::keyToken).stream())
                .toList();
    }

    private static Optional<KeyToken> keyToken(DocumentSnapshot counter) {
        LockKey key = LockKey.of(counter.getId().substring(SyncGuardCollections.COUNTER.length()));
        long last = SyncGuardLockDocument.lastToken(counter);
        return last == 0 ? Optional.empty() : Optional.of(new KeyToken(key, FencingToken.of(last)));
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        long last = link.reading(link.read(collections.fence(key), link.deadline()), SyncGuardLockDocument::lastToken);
        return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(last));
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        FencingToken now = new SyncGuardWrite(link, collections.fence(key)).persist(found -> {
            long last = SyncGuardLockDocument.lastToken(found.get(0));
            return last >= atLeast.value()
                    ? Decision.none(FencingToken.of(last))
                    : Decision.of(
                            atLeast,
                            batch -> SyncGuardWrite.put(
                                    batch, found.get(0), SyncGuardLockDocument.counter(key, atLeast)));
        });
        LOGGER.log(Level.INFO, () -> by + " raised the token of lock '" + key + "' to " + atLeast + "; it is " + now);
        return now;
    }

    @Override
    public boolean keepsRecords() {
        return false;
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        Optional<LockRecord> ended = new SyncGuardWrite(link, collections.lock(key), collections.fence(key))
                .persist(found -> ended(key, found.get(0), found.get(1)));
        ended.ifPresent(lease -> LOGGER.log(
                Level.INFO, () -> by + " ended the lease of lock '" + key + "' that had token " + lease.token()));
        return ended;
    }

    private Decision<Optional<LockRecord>> ended(LockKey key, DocumentSnapshot document, DocumentSnapshot counter) {
        Optional<LockRecord> running = reader.apply(document).record(redaction);
        if (running.isEmpty()) {
            return Decision.none(running);
        }
        long last = SyncGuardLockDocument.lastToken(counter);
        if (last >= FencingToken.MAX_VALUE) {
            throw Checks.noTokenLeft(key);
        }
        return Decision.of(running, batch -> {
            SyncGuardWrite.put(batch, counter, SyncGuardLockDocument.counter(key, FencingToken.of(last + 1)));
            SyncGuardWrite.delete(batch, document);
        });
    }
}
