package io.fenceline.firestore;

import com.google.cloud.firestore.WriteBatch;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A decision about a document, made from what was read of it.
 *
 * @param <T> the kind of answer
 * @param answer what the caller is told if the change is made, or if there is none
 * @param fields the document's fields that change; empty to change nothing
 * @param effect what else is written in the same commit
 */
record Change<T>(T answer, Map<String, Object> fields, Consumer<WriteBatch> effect) {

    /** Only an answer; nothing is written. */
    static <T> Change<T> none(T answer) {
        return new Change<>(answer, Map.of(), batch -> {});
    }

    static <T> Change<T> of(T answer, Map<String, Object> fields) {
        return new Change<>(answer, fields, batch -> {});
    }

    Change<T> with(Consumer<WriteBatch> more) {
        return new Change<>(answer, fields, more);
    }

    boolean writes() {
        return !fields.isEmpty();
    }
}
