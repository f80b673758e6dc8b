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
 * A clock in Firestore: a document for each name, {@code PREFIX_clocks/NAME}, that is never deleted. Numbers begin at 1; one
 * whose answer was lost is left out.
 *
 * <p>The store adds one by itself, so callers of one name do not get in one another's way. Its client does not tell the sum, so
 * the document is then read as it was at the time of that commit: no two commits of a document have the same time. Two round
 * trips.
 */
public final class FirestoreGenerationClock implements GenerationClock {

    private static final String LAST = "last";

    private final FirestoreLink link;
    private final Collections collections;

    private FirestoreGenerationClock(FirestoreLink link, String prefix) {
        this.link = link;
        this.collections = new Collections(link.client(), prefix);
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
        Deadline deadline = link.deadline();
        DocumentReference document = document(name);
        Timestamp taken = apply(name, FieldValue.increment(1), deadline);
        long next = link.reading(link.readAt(document, taken, deadline), FirestoreGenerationClock::last);
        if (next > FencingToken.MAX_VALUE) {
            throw link.errors()
                    .told(
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

    /** Changes the number, again if the store gave it up after a conflict, and returns when it was done. */
    private Timestamp apply(String name, FieldValue change, Deadline deadline) {
        Map<String, Object> fields = Map.of("name", LockKey.of(name).value(), LAST, change);
        for (int conflicts = 1; ; conflicts++) {
            try {
                return link.apply(link.batch().set(document(name), fields, SetOptions.merge()), deadline);
            } catch (BackendException e) {
                if (!FirestoreErrors.isAborted(e) || !Conflicts.pause(conflicts, deadline)) {
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
