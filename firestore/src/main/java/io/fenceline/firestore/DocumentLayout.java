package io.fenceline.firestore;

import io.fenceline.Redaction;
import java.time.Instant;
import java.util.function.UnaryOperator;

/** The documents that locks are kept in. All who are to keep each other out use the same. */
public final class DocumentLayout {

    /** One object, so that layouts with the same names are equal. */
    private static final UnaryOperator<Instant> AS_TOLD = UnaryOperator.identity();

    private final Kind kind;

    private DocumentLayout(Kind kind) {
        this.kind = kind;
    }

    /**
     * Returns our own documents, the default and the simple ones.
     *
     * @param prefix what the names of the collections start with, for instance {@code fenceline} for {@code fenceline_locks}
     * @return the documents
     * @throws IllegalArgumentException if it is not a letter or digit followed by at most 63 letters, digits, {@code _} and
     *     {@code -}
     */
    public static DocumentLayout fenceline(String prefix) {
        return new DocumentLayout(new Ours(Collections.requirePrefix(prefix)));
    }

    /**
     * Returns the documents of SyncGuard 2.x, so that its processes and ours keep each other out and spend tokens of one counter.
     * Both systems must use one database and name the same collections.
     *
     * <p>SyncGuard decides by the clocks of its clients, and we by the store's. Exclusion holds as long as no clock of a SyncGuard
     * client is a second away from the store's, either way: a client whose clock is ahead takes a lease of ours before its end, and of
     * one whose clock is behind we take the lease before the end that it counts on. The tolerance of one second is all there is. What
     * else this costs against our own documents: keys with a slash, {@code .}, {@code ..} and {@code __x__} are refused, since SyncGuard cannot release them;
     * holders are not kept; nothing an operator does is audited. {@code docs/backends.md} has the whole list.
     *
     * @param lockCollection SyncGuard's {@code collection}, which is {@code locks} by default
     * @param fenceCollection its {@code fenceCollection}, which is {@code fence_counters} by default
     * @return the documents
     * @throws IllegalArgumentException if one is no name of a collection, or both are the same
     */
    public static DocumentLayout syncGuard(String lockCollection, String fenceCollection) {
        return syncGuard(lockCollection, fenceCollection, AS_TOLD);
    }

    /** For tests, which move the clock by hand. */
    static DocumentLayout syncGuard(String lockCollection, String fenceCollection, UnaryOperator<Instant> clock) {
        return new DocumentLayout(new SyncGuards(
                SyncGuardCollections.requireName(lockCollection),
                SyncGuardCollections.requireOther(lockCollection, fenceCollection),
                clock));
    }

    LockDocuments on(FirestoreLink link, Redaction redaction) {
        return kind.on(link, redaction);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DocumentLayout layout && layout.kind.equals(kind);
    }

    @Override
    public int hashCode() {
        return kind.hashCode();
    }

    /** Returns the names. */
    @Override
    public String toString() {
        return kind.toString();
    }

    private interface Kind {
        LockDocuments on(FirestoreLink link, Redaction redaction);
    }

    private record Ours(String prefix) implements Kind {
        @Override
        public LockDocuments on(FirestoreLink link, Redaction redaction) {
            return new OwnDocuments(link, new Collections(link.client(), prefix), redaction);
        }
    }

    private record SyncGuards(String locks, String fences, UnaryOperator<Instant> clock) implements Kind {
        @Override
        public LockDocuments on(FirestoreLink link, Redaction redaction) {
            return new SyncGuardDocuments(
                    link, new SyncGuardCollections(link.client(), locks, fences), clock, redaction);
        }
    }
}
