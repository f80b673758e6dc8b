package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.GenerationClock;
import java.util.Map;
import java.util.Optional;

/**
 * A clock in Firestore: a document for each name, {@code PREFIX_clocks/NAME}, that is never deleted. Numbers begin at 1 and are
 * consecutive, except that one whose answer was lost is left out.
 *
 * <p>A number is a read and a commit on the condition that nobody took one in between. Firestore wants a document written about
 * once a second; many callers of one name get in one another's way and are slow, or fail with {@link
 * ErrorCode#SERVICE_UNAVAILABLE} when the time limit is over.
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
        LockKey key = LockKey.of(name);
        return write(key).persist(snapshot -> {
            long next = last(snapshot) + 1;
            if (next > FencingToken.MAX_VALUE) {
                throw link.errors()
                        .told(
                                ErrorCode.INTERNAL,
                                Effect.NONE,
                                "the numbers of '" + name + "' are used up: the last was " + last(snapshot),
                                null);
            }
            return Change.of(FencingToken.of(next), fields(key, next));
        });
    }

    @Override
    public Optional<FencingToken> current(String name) {
        DocumentReference document = collections.clock(LockKey.of(name).value());
        long last = link.reading(link.read(document, link.deadline()), FirestoreGenerationClock::last);
        return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(last));
    }

    @Override
    public void raise(String name, FencingToken atLeast) {
        LockKey key = LockKey.of(name);
        write(key)
                .persist(snapshot -> last(snapshot) >= atLeast.value()
                        ? Change.none(atLeast)
                        : Change.of(atLeast, fields(key, atLeast.value())));
    }

    private ConditionalWrite write(LockKey key) {
        return new ConditionalWrite(link, collections.clock(key.value()));
    }

    private static long last(DocumentSnapshot snapshot) {
        Long last = snapshot.getLong(LAST);
        return last == null ? 0 : last;
    }

    private static Map<String, Object> fields(LockKey key, long last) {
        return Map.of("name", key.value(), LAST, last);
    }
}
