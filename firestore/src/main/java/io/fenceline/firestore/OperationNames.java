package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentSnapshot;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names of the operations that wrote a document last, kept in the document. The client library may send a commit again whose
 * answer was lost, and is then told that it cannot be applied; an operation that finds its own name there knows that it was, also
 * if others have written since.
 *
 * @param latestFirst at most {@value #KEPT}
 */
record OperationNames(List<String> latestFirst) {

    /** One text, with a space between two names. */
    static final String FIELD = "operations";

    /** So many names of 22 characters stay below the 1,500 bytes of a value that Firestore indexes. */
    static final int KEPT = 32;

    /** Reads a document, which may be missing. */
    static OperationNames of(DocumentSnapshot snapshot) {
        return new OperationNames(snapshot.get(FIELD) instanceof String names ? List.of(names.split(" ")) : List.of());
    }

    /** Returns the field's value after one more operation. */
    String with(String operation) {
        return Stream.concat(Stream.of(operation), latestFirst.stream())
                .limit(KEPT)
                .collect(Collectors.joining(" "));
    }

    boolean contains(String operation) {
        return latestFirst.contains(operation);
    }

    /** Tells whether names may have been dropped that were added since an earlier read. */
    boolean mayLackSome(OperationNames earlier) {
        return latestFirst.size() == KEPT && (earlier.latestFirst.isEmpty() || !contains(earlier.latestFirst.get(0)));
    }
}
