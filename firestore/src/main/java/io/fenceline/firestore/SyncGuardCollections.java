package io.fenceline.firestore;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import io.fenceline.LockKey;
import io.fenceline.internal.syncguard.StorageNames;
import java.util.regex.Pattern;

/**
 * SyncGuard's collections: {@code LOCKS/KEY} and {@code FENCES/fence:KEY}.
 */
record SyncGuardCollections(Firestore client, String locksName, String fencesName) {

    static final String DEFAULT_LOCKS = "locks";
    static final String DEFAULT_FENCES = "fence_counters";

    /** Prefix of the names of counters. */
    static final String COUNTER = "fence:";

    private static final StorageNames NAMES = StorageNames.onFirestore();

    /** Matches names that Firestore does not allow: with a slash, {@code .}, {@code ..} and {@code __x__}. */
    private static final Pattern NOT_A_NAME = Pattern.compile(".*/.*|\\.\\.?|__.*__", Pattern.DOTALL);

    private static final int MAX_NAME = 512;

    static String requireName(String collection) {
        if (collection.isEmpty()
                || collection.length() > MAX_NAME
                || NOT_A_NAME.matcher(collection).matches()) {
            throw new IllegalArgumentException("'" + collection
                    + "' is not a valid collection name; use SyncGuard's collection name, which has no slash");
        }
        return collection;
    }

    static String requireOther(String locks, String fences) {
        if (locks.equals(fences)) {
            throw new IllegalArgumentException("the locks and the fences are both in collection '" + locks
                    + "'; name two, as SyncGuard's collection and fenceCollection do");
        }
        return requireName(fences);
    }

    CollectionReference locks() {
        return client.collection(locksName);
    }

    /** Returns the locks ordered by document name, from a prefix on. */
    Query locksFrom(String start) {
        Query all = locks().orderBy(FieldPath.documentId());
        return start.isEmpty() || NOT_A_NAME.matcher(start).matches() ? all : all.startAt(start);
    }

    /** Returns whether a document name is that of a key's lock. */
    static boolean isNameOf(String document, LockKey key) {
        return NAMES.lock(key.value()).equals(document);
    }

    CollectionReference fences() {
        return client.collection(fencesName);
    }

    /** Returns the counters of keys from a prefix on that come after a key, in the order of their names. */
    Query fencesFrom(String start, String after) {
        return fences().whereGreaterThan(FieldPath.documentId(), COUNTER + after)
                .orderBy(FieldPath.documentId())
                .startAt(COUNTER + start);
    }

    /**
     * Returns the document of a key.
     *
     * @throws IllegalArgumentException if SyncGuard could not release it: it takes a slash for a path
     */
    DocumentReference lock(LockKey key) {
        return locks().document(shared(key));
    }

    DocumentReference fence(LockKey key) {
        shared(key);
        return fences().document(NAMES.fence(key.value()));
    }

    private static String shared(LockKey key) {
        if (NOT_A_NAME.matcher(key.value()).matches()) {
            throw new IllegalArgumentException(
                    "key '" + key + "' cannot be shared with SyncGuard on Firestore, where it is"
                            + " a path or a reserved name; use keys without slashes that are not '.', '..' or '__x__'");
        }
        return NAMES.lock(key.value());
    }
}
