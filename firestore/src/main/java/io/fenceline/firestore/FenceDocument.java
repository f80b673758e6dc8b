package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentSnapshot;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The fence of one resource, in a document that outlives the data. */
final class FenceDocument {

    static final String RESOURCE = "resource";

    private static final String LOCK_KEY = "lockKey";
    private static final String HIGHEST = "highest";
    private static final String WRITTEN = "written";

    private FenceDocument() {}

    /** Reads a fence; empty if the document does not exist. */
    static Optional<Fence> of(DocumentSnapshot snapshot) {
        return snapshot.exists()
                ? Optional.of(new Fence(
                        LockKey.of(Objects.requireNonNull(snapshot.getString(LOCK_KEY), LOCK_KEY)),
                        FencingToken.of(number(snapshot, HIGHEST)),
                        number(snapshot, WRITTEN)))
                : Optional.empty();
    }

    static Map<String, Object> fieldsOf(String resource, Fence fence) {
        Map<String, Object> fields = new HashMap<>();
        fields.put(RESOURCE, resource);
        fields.put(LOCK_KEY, fence.key().value());
        fields.put(HIGHEST, fence.highest().value());
        fields.put(WRITTEN, fence.written());
        return fields;
    }

    private static long number(DocumentSnapshot snapshot, String field) {
        return Objects.requireNonNull(snapshot.getLong(field), field);
    }
}
