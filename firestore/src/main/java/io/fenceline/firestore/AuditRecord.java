package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.WriteBatch;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Writes the audit record of an operator's act: a document in {@code PREFIX_audit}, in the same commit, with the store's time.
 */
record AuditRecord(FirestoreCollections collections) {

    /** Returns an effect that writes a record; {@code name} is a lock key or a resource. */
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
