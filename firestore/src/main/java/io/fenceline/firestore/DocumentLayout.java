package io.fenceline.firestore;

import io.fenceline.Redaction;
import java.time.Instant;
import java.util.function.UnaryOperator;

/** Structure of the documents that hold locks. Clients that share locks need the same layout. */
public final class DocumentLayout {

    /** A constant, so that layouts with the same names are equal. */
    private static final UnaryOperator<Instant> UNCHANGED = UnaryOperator.identity();

    private final Kind kind;

    private DocumentLayout(Kind kind) {
        this.kind = kind;
    }

    /**
     * Returns Fenceline's own layout, the default.
     *
     * @param prefix prefix of the collection names, for instance {@code fenceline} for {@code fenceline_locks}
     * @return the layout
     * @throws IllegalArgumentException if it is not a letter or digit followed by at most 63 letters, digits, {@code _} and
     *     {@code -}
     */
    public static DocumentLayout fenceline(String prefix) {
        return new DocumentLayout(new Ours(FirestoreCollections.requirePrefix(prefix)));
    }

    /**
     * Returns the layout of SyncGuard 2.x: its processes and ours are mutually exclusive and share one token counter. Both systems
     * must use the same database and collections.
     *
     * <p>SyncGuard uses the clocks of its clients, Fenceline that of the store. Mutual exclusion holds while the clocks of all
     * SyncGuard clients are within one second of the store's. A client whose clock is further ahead takes our lease before it ends; we
     * take the lease of a client whose clock is further behind before it expects that. Other restrictions: keys with a slash, {@code .},
     * {@code ..} and {@code __x__} are refused, since SyncGuard cannot release them; holders are not stored; acts of operators are not
     * audited. {@code docs/backends.md} has the whole list.
     *
     * @param lockCollection SyncGuard's {@code collection}, which is {@code locks} by default
     * @param fenceCollection its {@code fenceCollection}, which is {@code fence_counters} by default
     * @return the layout
     * @throws IllegalArgumentException if one is not a valid collection name, or both are equal
     */
    public static DocumentLayout syncGuard(String lockCollection, String fenceCollection) {
        return syncGuard(lockCollection, fenceCollection, UNCHANGED);
    }

    /** For tests with a manual clock. */
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
            return new OwnDocuments(link, new FirestoreCollections(link.client(), prefix), redaction);
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
