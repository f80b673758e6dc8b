package io.fenceline.firestore;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;

/**
 * Our collections: {@code PREFIX_locks}, {@code PREFIX_fences}, {@code PREFIX_clocks} and {@code PREFIX_audit}.
 */
record FirestoreCollections(Firestore client, String prefix) {

    static final String DEFAULT_PREFIX = "fenceline";

    private static final String PREFIXES = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}";

    static String requirePrefix(String prefix) {
        if (!prefix.matches(PREFIXES)) {
            throw new IllegalArgumentException("prefix is '" + prefix
                    + "', a letter or digit and at most 63 more letters, digits, '_' and '-' are allowed");
        }
        return prefix;
    }

    CollectionReference locks() {
        return client.collection(prefix + "_locks");
    }

    /** The document of a key. */
    DocumentReference lock(String key) {
        return locks().document(DocumentId.of(key));
    }

    CollectionReference fences() {
        return client.collection(prefix + "_fences");
    }

    DocumentReference fence(String resource) {
        return fences().document(DocumentId.of(resource));
    }

    DocumentReference clock(String name) {
        return client.collection(prefix + "_clocks").document(DocumentId.of(name));
    }

    /** A new audit document. */
    DocumentReference audit() {
        return client.collection(prefix + "_audit").document();
    }
}
