package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentSnapshot;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.AcquireRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A lock document of SyncGuard, which counts as held for a second past its end.
 *
 * @param now when it was read
 * @param lease the running lease; empty if the document does not exist or its lease is over
 */
record SyncGuardLockDocument(Instant now, Optional<Grant> lease) {

    static final String LOCK_ID = "lockId";
    static final String KEY = "key";

    private static final Duration TOLERANCE = Duration.ofSeconds(1);
    private static final String EXPIRES_AT = "expiresAtMs";
    private static final String ACQUIRED_AT = "acquiredAtMs";
    private static final String FENCE = "fence";
    private static final String KEY_DEBUG = "keyDebug";

    /** SyncGuard has no field for holders. */
    private static final Holder UNKNOWN = Holder.of("unknown");

    /** Reads a document. The length of a token block is not stored, so it is reported as 1. */
    static SyncGuardLockDocument of(DocumentSnapshot snapshot, Instant now) {
        Instant whole = Instant.ofEpochMilli(now.toEpochMilli());
        if (!snapshot.exists() || !time(snapshot, EXPIRES_AT).plus(TOLERANCE).isAfter(whole)) {
            return new SyncGuardLockDocument(whole, Optional.empty());
        }
        return new SyncGuardLockDocument(
                whole,
                Optional.of(new Grant(
                        LockKey.of(text(snapshot, KEY)),
                        LockId.parse(text(snapshot, LOCK_ID)),
                        UNKNOWN,
                        FencingToken.of(number(text(snapshot, FENCE))),
                        1,
                        time(snapshot, ACQUIRED_AT),
                        time(snapshot, EXPIRES_AT))));
    }

    /** Reads a counter document, which may not exist. */
    static long lastToken(DocumentSnapshot counter) {
        return counter.exists() ? number(text(counter, FENCE)) : 0;
    }

    /** Parses a token. SyncGuard accepts longer numbers, since it compares texts; they are read as the maximum. */
    private static long number(String fence) {
        return fence.matches("[0-9]{19,}")
                ? FencingToken.MAX_VALUE
                : Math.min(Long.parseLong(fence), FencingToken.MAX_VALUE);
    }

    Optional<Grant> running() {
        return lease.filter(grant -> remaining(grant).toMillis() > 0);
    }

    Optional<Grant> running(LockId lockId) {
        return running().filter(grant -> grant.lockId().equals(lockId));
    }

    Optional<LockRecord> record(Redaction redaction) {
        return running().map(grant -> new LockRecord(grant, remaining(grant), redaction));
    }

    Duration remaining(Grant grant) {
        return Duration.between(now, grant.expiresAt()).plus(TOLERANCE);
    }

    /** Returns a new grant. */
    Grant granted(AcquireRequest request, long lastToken) {
        return new Grant(
                request.key(),
                request.lockId(),
                request.holder(),
                FencingToken.of(lastToken + 1),
                request.tokens(),
                now,
                now.plusMillis(request.ttlMillis()));
    }

    /**
     * Completes a running grant from its own request, which has fields that are not stored. While a lease runs, the counter is at its last token,
     * or above if it was raised by hand: nobody else gets those in between.
     */
    static Grant regranted(Grant standing, AcquireRequest request, long lastToken) {
        long tokens = lastToken - standing.token().value() + 1;
        return new Grant(
                request.key(),
                request.lockId(),
                request.holder(),
                standing.token(),
                tokens < 1 ? request.tokens() : (int) Math.min(tokens, Integer.MAX_VALUE),
                standing.acquiredAt(),
                standing.expiresAt());
    }

    static Map<String, Object> fieldsOf(Grant grant) {
        Map<String, Object> fields = new HashMap<>();
        fields.put(LOCK_ID, grant.lockId().text());
        fields.put(EXPIRES_AT, grant.expiresAt().toEpochMilli());
        fields.put(ACQUIRED_AT, grant.acquiredAt().toEpochMilli());
        fields.put(KEY, grant.key().value());
        fields.put(FENCE, grant.token().text());
        return fields;
    }

    /** Returns the end of a lease in milliseconds since 1970; if the document is damaged, a time that never comes. */
    static long endMillis(DocumentSnapshot snapshot) {
        return snapshot.get(EXPIRES_AT) instanceof Long end ? end : Long.MAX_VALUE;
    }

    static Map<String, Object> end(Instant expiresAt) {
        return Map.of(EXPIRES_AT, expiresAt.toEpochMilli());
    }

    static Map<String, Object> counter(LockKey key, FencingToken last) {
        return Map.of(FENCE, last.text(), KEY_DEBUG, key.value());
    }

    private static String text(DocumentSnapshot snapshot, String field) {
        return Objects.requireNonNull(snapshot.getString(field), field);
    }

    private static Instant time(DocumentSnapshot snapshot, String field) {
        return Instant.ofEpochMilli(Objects.requireNonNull(snapshot.getLong(field), field));
    }
}
