package io.fenceline.firestore;

import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lists leases and changes locks for operators. Each act leaves a document in {@code PREFIX_audit}, written in the same commit.
 */
final class FirestoreCatalog implements LockCatalog {

    private static final int PAGE = 300;

    private final FirestoreLink link;
    private final FirestoreCollections collections;
    private final Redaction redaction;
    private final AuditRecord audit;

    FirestoreCatalog(FirestoreLink link, FirestoreCollections collections, Redaction redaction) {
        this.link = link;
        this.collections = collections;
        this.redaction = redaction;
        this.audit = new AuditRecord(collections);
    }

    /** {@inheritDoc} Also reads the documents of leases that expired without a release, and skips them. */
    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        String start = Normalizer.normalize(prefix, Normalizer.Form.NFC); // as keys are
        List<LockRecord> running = new ArrayList<>();
        Query query =
                collections.locks().orderBy(LockDocument.HELD).startAt(start).limit(PAGE);
        while (true) {
            List<QueryDocumentSnapshot> page = link.read(query).getDocuments();
            for (QueryDocumentSnapshot found : page) {
                if (!String.valueOf(found.get(LockDocument.HELD)).startsWith(start) || running.size() == limit) {
                    return running;
                }
                link.readingIfValid(found, document -> LockDocument.of(document).record(redaction))
                        .ifPresent(running::add);
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
        Query page = collections
                .locks()
                .whereGreaterThan(LockDocument.KEY, LockKey.prefix(after))
                .orderBy(LockDocument.KEY)
                .startAt(start)
                .limit(limit);
        return link.read(page).getDocuments().stream()
                .filter(found -> String.valueOf(found.get(LockDocument.KEY)).startsWith(start))
                .flatMap(found -> link.readingIfValid(found, LockDocument::keyToken).stream())
                .toList();
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        long last = link.reading(link.read(collections.lock(key.value()), link.deadline()), LockDocument::of)
                .lastToken();
        return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(last));
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return write(key).persist(snapshot -> {
            LockDocument lock = LockDocument.of(snapshot);
            return lock.lastToken() >= atLeast.value()
                    ? DocumentChange.none(FencingToken.of(lock.lastToken()))
                    : DocumentChange.of(atLeast, LockDocument.counter(key, atLeast.value()))
                            .with(audit.of("raise", key.value(), atLeast, by));
        });
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        return write(key).persist(snapshot -> {
            LockDocument lock = LockDocument.of(snapshot);
            return lock.running().isEmpty() ? DocumentChange.none(Optional.<LockRecord>empty()) : ended(key, lock, by);
        });
    }

    private DocumentChange<Optional<LockRecord>> ended(LockKey key, LockDocument lock, Holder by) {
        if (lock.nextToken() > FencingToken.MAX_VALUE) {
            throw Checks.noTokenLeft(key);
        }
        Map<String, Object> fields = LockDocument.released();
        fields.putAll(LockDocument.counter(key, lock.nextToken()));
        Grant ended = lock.running().orElseThrow();
        return DocumentChange.of(lock.record(redaction), fields)
                .with(audit.of("force-release", key.value(), ended.token(), by));
    }

    private ConditionalWrite write(LockKey key) {
        return new ConditionalWrite(link, collections.lock(key.value()));
    }
}
