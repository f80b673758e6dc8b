package io.fenceline.firestore;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.LockCatalog.KeyToken;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The document of one lock. It is never deleted, since it holds the counter; a release removes the fields of the lease.
 *
 * @param now when it was read, by the store's clock
 * @param lastToken the greatest token minted, 0 if none
 * @param lease the last lease, possibly expired; empty after a release
 */
record LockDocument(Instant now, long lastToken, Optional<Grant> lease) {

    static final String KEY = "key";
    static final String LAST_TOKEN = "lastToken";
    static final String LOCK_ID = "lockId";

    /** The key again, while there is a lease; the catalog sorts by it. */
    static final String HELD = "held";

    private static final String HOLDER = "holder";
    private static final String TOKEN = "token";
    private static final String TOKENS = "tokens";
    private static final String ACQUIRED_AT = "acquiredAt";
    private static final String EXPIRES_AT = "expiresAt";

    /** Reads a document, which may not exist. */
    static LockDocument of(DocumentSnapshot snapshot) {
        Instant now = ServerClock.instant(snapshot.getReadTime());
        if (!snapshot.exists()) {
            return new LockDocument(now, 0, Optional.empty());
        }
        return new LockDocument(
                now,
                Math.min(number(snapshot, LAST_TOKEN), FencingToken.MAX_VALUE),
                isLeased(snapshot) ? Optional.of(grant(snapshot)) : Optional.empty());
    }

    /** Reads the key and its counter; empty if nothing was minted. */
    static Optional<KeyToken> keyToken(DocumentSnapshot snapshot) {
        long last = Math.min(number(snapshot, LAST_TOKEN), FencingToken.MAX_VALUE);
        return last == 0
                ? Optional.empty()
                : Optional.of(new KeyToken(LockKey.of(text(snapshot, KEY)), FencingToken.of(last)));
    }

    /** Returns whether a lease was granted and not released. */
    static boolean isLeased(DocumentSnapshot snapshot) {
        return snapshot.exists() && snapshot.contains(LOCK_ID);
    }

    /** Returns the end of a lease in milliseconds since 1970; if the document is damaged, a time that never comes. */
    static long endMillis(DocumentSnapshot snapshot) {
        return snapshot.get(EXPIRES_AT) instanceof Timestamp end
                ? ServerClock.instant(end).toEpochMilli()
                : Long.MAX_VALUE;
    }

    private static Grant grant(DocumentSnapshot snapshot) {
        return new Grant(
                LockKey.of(text(snapshot, KEY)),
                LockId.parse(text(snapshot, LOCK_ID)),
                Holder.of(text(snapshot, HOLDER)),
                FencingToken.of(number(snapshot, TOKEN)),
                Math.toIntExact(number(snapshot, TOKENS)),
                time(snapshot, ACQUIRED_AT),
                time(snapshot, EXPIRES_AT));
    }

    /** Returns the lease if it runs. */
    Optional<Grant> running() {
        return lease.filter(grant -> grant.expiresAt().isAfter(now));
    }

    /** Returns the running lease if this id holds it. */
    Optional<Grant> running(LockId lockId) {
        return running().filter(grant -> grant.lockId().equals(lockId));
    }

    /** Returns the running lease as a record. */
    Optional<LockRecord> record(Redaction redaction) {
        return running().map(grant -> new LockRecord(grant, remaining(grant), redaction));
    }

    Duration remaining(Grant grant) {
        return Duration.between(now, grant.expiresAt());
    }

    /** Returns the first token of the next grant; it may exceed the maximum. */
    long nextToken() {
        return lastToken + 1;
    }

    /** Returns a new grant. */
    Grant granted(AcquireRequest request) {
        return new Grant(
                request.key(),
                request.lockId(),
                request.holder(),
                FencingToken.of(nextToken()),
                request.tokens(),
                now,
                now.plusMillis(request.ttlMillis()));
    }

    static Map<String, Object> fieldsOf(Grant grant) {
        Map<String, Object> fields = counter(grant.key(), grant.lastToken().value());
        fields.put(LOCK_ID, grant.lockId().text());
        fields.put(HOLDER, grant.holder().text());
        fields.put(TOKEN, grant.token().value());
        fields.put(TOKENS, (long) grant.tokens());
        fields.put(ACQUIRED_AT, ServerClock.timestamp(grant.acquiredAt()));
        fields.put(EXPIRES_AT, ServerClock.timestamp(grant.expiresAt()));
        fields.put(HELD, grant.key().value());
        return fields;
    }

    static Map<String, Object> counter(LockKey key, long lastToken) {
        Map<String, Object> fields = new HashMap<>();
        fields.put(KEY, key.value());
        fields.put(LAST_TOKEN, lastToken);
        return fields;
    }

    static Map<String, Object> end(Instant expiresAt) {
        return Map.of(EXPIRES_AT, ServerClock.timestamp(expiresAt));
    }

    static Map<String, Object> released() {
        Map<String, Object> fields = new HashMap<>();
        for (String field : new String[] {LOCK_ID, HOLDER, TOKEN, TOKENS, ACQUIRED_AT, EXPIRES_AT, HELD}) {
            fields.put(field, FieldValue.delete());
        }
        return fields;
    }

    private static String text(DocumentSnapshot snapshot, String field) {
        return Objects.requireNonNull(snapshot.getString(field), field);
    }

    private static long number(DocumentSnapshot snapshot, String field) {
        return Objects.requireNonNull(snapshot.getLong(field), field);
    }

    private static Instant time(DocumentSnapshot snapshot, String field) {
        return ServerClock.instant(Objects.requireNonNull(snapshot.getTimestamp(field), field));
    }
}
