package io.fenceline.sqlite;

import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Queries of the leases in a store. */
final class LeaseQueries {

    private static final String OF_KEY = """
            SELECT *, remaining(boot_id, ends_at_uptime, expires_at, ttl) AS remaining
              FROM fenceline_lock
             WHERE lock_key = ?1 AND lock_id IS NOT NULL AND remaining > 0""";

    private static final String OF_ID = """
            SELECT *, remaining(boot_id, ends_at_uptime, expires_at, ttl) AS remaining
              FROM fenceline_lock
             WHERE lock_id = ?1 AND remaining > 0""";

    private static final String BETWEEN_KEYS = """
            SELECT *, remaining(boot_id, ends_at_uptime, expires_at, ttl) AS remaining
              FROM fenceline_lock
             WHERE lock_key >= ?1 AND lock_key < ?2 AND lock_id IS NOT NULL AND remaining > 0
             ORDER BY lock_key LIMIT ?3""";

    private static final String LAST_FENCE = """
            SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1""";

    /** SQLite sorts every BLOB after every text. */
    private static final byte[] AFTER_ALL_TEXTS = {};

    private final SqliteStore store;

    LeaseQueries(SqliteStore store) {
        this.store = store;
    }

    Optional<LeaseRow> running(LockKey key) {
        return store.one(OF_KEY, LeaseRow::of, key.value());
    }

    /** The same for a caller that waits for its turn no longer than the timeout. */
    Optional<LeaseRow> running(Duration timeout, LockKey key) {
        return store.all(timeout, OF_KEY, LeaseRow::of, key.value()).stream().findFirst();
    }

    Optional<LeaseRow> running(LockId lockId) {
        return store.one(OF_ID, LeaseRow::of, lockId.text());
    }

    /** Lists in the order of code points, which is that of UTF-8 and of SQLite. */
    List<LeaseRow> startingWith(String prefix, int limit) {
        String composed = LockKey.prefix(prefix);
        return store.readable(BETWEEN_KEYS, LeaseRow::of, composed, firstAfter(composed), limit);
    }

    Optional<FencingToken> lastToken(LockKey key) {
        return store.one(
                LAST_FENCE, row -> FencingToken.of(Math.min(row.getLong(1), FencingToken.MAX_VALUE)), key.value());
    }

    /** Returns what sorts after all texts with a prefix and before all others: the prefix with its last code point raised. */
    private static Object firstAfter(String prefix) {
        int end = prefix.length();
        while (end > 0) {
            int last = prefix.codePointBefore(end);
            end -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
                return prefix.substring(0, end) + Character.toString(next);
            }
        }
        return AFTER_ALL_TEXTS;
    }
}
