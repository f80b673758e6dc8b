package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.WriteBatch;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The trace of an operator's act: a document in {@code PREFIX_audit} for each, written in the same commit, with the store's time.
 *
 * @param collections where it is kept
 */
record AuditRecord(Collections collections) {

    /**
     * Returns what writes an entry.
     *
     * @param act what was done
     * @param name the lock's key or the resource
     * @param token the token that it was done with
     * @param by who did it
     */
    Consumer<WriteBatch> of(String act, String name, FencingToken token, Holder by) {
        DocumentReference entry = collections.audit();
        return batch -> batch.create(
                entry,
                Map.of(
                        "act", act,
                        "name", name,
                        "token", token.value(),
                        "by", by.text(),
                        "at", FieldValue.serverTimestamp()));
    }
}
