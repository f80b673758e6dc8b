package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentSnapshot;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Random names of the last operations that wrote a document, stored in the document. The client library may resend a commit whose
 * reply was lost, and the second one is refused. An operation that finds its own name knows that it was applied, also if others have
 * written since.
 *
 * @param latestFirst at most {@value #KEPT}
 */
record OperationNames(List<String> latestFirst) {

    /** A string of names separated by spaces. */
    static final String FIELD = "operations";

    /** Limit that keeps the value below the 1,500 bytes that Firestore indexes. */
    static final int KEPT = 32;

    /** Reads a document, which may not exist. */
    static OperationNames of(DocumentSnapshot snapshot) {
        return new OperationNames(snapshot.get(FIELD) instanceof String names ? List.of(names.split(" ")) : List.of());
    }

    /** Returns the field's value with one more operation. */
    String with(String operation) {
        return Stream.concat(Stream.of(operation), latestFirst.stream())
                .limit(KEPT)
                .collect(Collectors.joining(" "));
    }

    boolean contains(String operation) {
        return latestFirst.contains(operation);
    }

    /** Returns whether names added since an earlier read may have been dropped. */
    boolean mayLackSome(OperationNames earlier) {
        return latestFirst.size() == KEPT && (earlier.latestFirst.isEmpty() || !contains(earlier.latestFirst.get(0)));
    }
}
