package io.fenceline.firestore;

import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceGuard;
import io.fenceline.spi.Checks;
import io.fenceline.telemetry.LockListeners;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Lists fences and changes them for operators. Each act leaves a document in {@code PREFIX_audit}. */
final class FirestoreFenceCatalog implements FenceCatalog {

    private final FirestoreLink link;
    private final FirestoreCollections collections;
    private final AuditRecord audit;

    FirestoreFenceCatalog(FirestoreLink link, FirestoreCollections collections) {
        this.link = link;
        this.collections = collections;
        this.audit = new AuditRecord(collections);
    }

    @Override
    public FenceGuard guard() {
        return FirestoreFenceGuard.on(link, FirestoreGuardOptions.defaults().withPrefix(collections.prefix()));
    }

    @Override
    public Map<String, Fence> list(String prefix, int limit) {
        Checks.limit(limit);
        Map<String, Fence> listed = new LinkedHashMap<>();
        Query query = collections
                .fences()
                .orderBy(FenceDocument.RESOURCE)
                .startAt(prefix)
                .limit(limit);
        List<QueryDocumentSnapshot> found = link.read(query).getDocuments();
        for (QueryDocumentSnapshot document : found) {
            String resource = String.valueOf(document.get(FenceDocument.RESOURCE));
            if (!resource.startsWith(prefix)) {
                break; // it is sorted
            }
            link.reading(document, FenceDocument::of).ifPresent(fence -> listed.put(resource, fence));
        }
        return listed;
    }

    @Override
    public Fence raise(String resource, FenceStamp atLeast, Holder by) {
        String name = ResourceName.of(resource).value();
        return fence(name).persist(snapshot -> {
            Optional<Fence> known = FenceDocument.of(snapshot);
            if (known.isPresent() && known.get().key().equals(atLeast.key())) {
                Fence fence = known.get();
                if (fence.highest().compareTo(atLeast.token()) >= 0) {
                    return DocumentChange.none(fence);
                }
            }
            known.ifPresent(fence -> fence.onClaim(atLeast).orThrow(name, atLeast, LockListeners.NONE));
            Fence raised = known.map(fence -> fence.afterClaim(atLeast)).orElseGet(() -> Fence.claimed(atLeast));
            return DocumentChange.of(raised, FenceDocument.fieldsOf(name, raised))
                    .with(audit.of("raise fence", name, atLeast.token(), by));
        });
    }

    @Override
    public boolean rebind(String resource, LockKey from, LockKey to, Holder by) {
        if (from.equals(to)) {
            throw new IllegalArgumentException("'" + resource + "' cannot be given from lock '" + from
                    + "' to itself: its fence would be lowered; name another lock");
        }
        String name = ResourceName.of(resource).value();
        return fence(name).persist(snapshot -> {
            Optional<Fence> known =
                    FenceDocument.of(snapshot).filter(fence -> fence.key().equals(from));
            if (known.isEmpty()) {
                return DocumentChange.none(false);
            }
            Fence given = Fence.claimed(new FenceStamp(to, FencingToken.of(1)));
            return DocumentChange.of(true, FenceDocument.fieldsOf(name, given))
                    .with(audit.of("rebind fence to " + to, name, known.get().highest(), by));
        });
    }

    private ConditionalWrite fence(String name) {
        return new ConditionalWrite(link, collections.fence(name));
    }
}
