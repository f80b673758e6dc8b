package io.fenceline.firestore;

import com.google.cloud.firestore.WriteBatch;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The result of deciding on a document that was read: what to return, and what to write.
 *
 * @param <T> the type of the result
 * @param answer the result, once the change is committed
 * @param fields the fields to change; empty to change nothing
 * @param effect further writes of the same commit
 */
record DocumentChange<T>(T answer, Map<String, Object> fields, Consumer<WriteBatch> effect) {

    /** A result without a write. */
    static <T> DocumentChange<T> none(T answer) {
        return new DocumentChange<>(answer, Map.of(), batch -> {});
    }

    static <T> DocumentChange<T> of(T answer, Map<String, Object> fields) {
        return new DocumentChange<>(answer, fields, batch -> {});
    }

    DocumentChange<T> with(Consumer<WriteBatch> more) {
        return new DocumentChange<>(answer, fields, more);
    }

    boolean writes() {
        return !fields.isEmpty();
    }
}
