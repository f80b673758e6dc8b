package io.fenceline.firestore;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.GenerationClock;
import java.util.Map;
import java.util.Optional;

/**
 * Generation clock in Firestore: a document for each name, {@code PREFIX_clocks/NAME}, that is never deleted. Numbers begin at 1; a
 * number whose reply was lost is skipped.
 *
 * <p>The store increments atomically, so callers of one name do not conflict. The increment does not return the sum, so the document
 * is then read as of the time of that commit, which is unique per document. Two round trips.
 */
public final class FirestoreGenerationClock implements GenerationClock {

    private static final String LAST = "last";

    private final FirestoreLink link;
    private final FirestoreCollections collections;

    private FirestoreGenerationClock(FirestoreLink link, String prefix) {
        this.link = link;
        this.collections = new FirestoreCollections(link.client(), prefix);
    }

    /**
     * Returns a clock with the default options. Sends nothing yet.
     *
     * @param client a client of the database that keeps the numbers; never closed by the clock
     * @return the clock
     */
    public static FirestoreGenerationClock on(Firestore client) {
        return on(client, FirestoreGuardOptions.defaults());
    }

    /**
     * Returns a clock. Sends nothing yet.
     *
     * @param client a client of the database that keeps the numbers; never closed by the clock
     * @param options the prefix and the time limit; the rest is for guards
     * @return the clock
     */
    public static FirestoreGenerationClock on(Firestore client, FirestoreGuardOptions options) {
        return new FirestoreGenerationClock(new FirestoreLink(client, options.timeout()), options.prefix());
    }

    @Override
    public FencingToken next(String name) {
        CallDeadline deadline = link.deadline();
        DocumentReference document = document(name);
        Timestamp taken = apply(name, FieldValue.increment(1), deadline);
        long next = link.reading(link.readAt(document, taken, deadline), FirestoreGenerationClock::last);
        if (next > FencingToken.MAX_VALUE) {
            throw link.errors()
                    .failure(
                            ErrorCode.INTERNAL,
                            Effect.NONE,
                            "the numbers of '" + name + "' are used up: the last is " + FencingToken.MAX_VALUE,
                            null);
        }
        return FencingToken.of(next);
    }

    @Override
    public Optional<FencingToken> current(String name) {
        long last = link.reading(link.read(document(name), link.deadline()), FirestoreGenerationClock::last);
        return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(Math.min(last, FencingToken.MAX_VALUE)));
    }

    @Override
    public void raise(String name, FencingToken atLeast) {
        apply(name, FieldValue.maximum(atLeast.value()), link.deadline());
    }

    /** Changes the number, retrying after conflicts, and returns the commit time. */
    private Timestamp apply(String name, FieldValue change, CallDeadline deadline) {
        Map<String, Object> fields = Map.of("name", LockKey.of(name).value(), LAST, change);
        for (int conflicts = 1; ; conflicts++) {
            try {
                return link.apply(link.batch().set(document(name), fields, SetOptions.merge()), deadline);
            } catch (BackendException e) {
                if (!FirestoreErrors.isAborted(e) || !ConflictBackoff.pause(conflicts, deadline)) {
                    throw e;
                }
            }
        }
    }

    private DocumentReference document(String name) {
        return collections.clock(LockKey.of(name).value());
    }

    private static long last(DocumentSnapshot snapshot) {
        Long last = snapshot.getLong(LAST);
        return last == null ? 0 : last;
    }
}
