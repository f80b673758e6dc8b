package io.fenceline.sqlite;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockRows;
import io.fenceline.jdbc.product.RunningLease;
import io.fenceline.spi.LockCatalog.KeyToken;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Queries of the leases in a store. */
final class LeaseQueries {

    private static final String LEASES = """
            SELECT *, remaining(boot_id, ends_at_uptime, expires_at, ttl) AS remaining FROM fenceline_lock
             WHERE lock_id IS NOT NULL AND remaining > 0""";

    static final String OF_KEY = LEASES + " AND lock_key = ?1";

    private static final String OF_ID = LEASES + " AND lock_id = ?1";

    /** No text has a byte 255, so keys that begin with the prefix are all those between. */
    private static final String LIST =
            LEASES + " AND lock_key >= ?1 AND lock_key < ?1 || CAST(x'ff' AS TEXT) ORDER BY lock_key LIMIT ?2";

    private static final String TOKENS = """
            SELECT lock_key, last_fence FROM fenceline_lock
             WHERE lock_key >= ?1 AND lock_key < ?1 || CAST(x'ff' AS TEXT) AND lock_key > ?2 AND last_fence > 0
             ORDER BY lock_key LIMIT ?3""";

    static final String COUNTER = "SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1";

    private static final LockRows ROWS = LockRows.ofText((row, column) -> Instant.ofEpochMilli(row.getLong(column)));

    private final SqliteStore store;

    LeaseQueries(SqliteStore store) {
        this.store = store;
    }

    Optional<RunningLease> running(LockKey key) {
        return store.one(OF_KEY, LeaseQueries::lease, key.value());
    }

    /** Looks for the lease of a key on behalf of a caller that waits no longer than the timeout. */
    Optional<RunningLease> running(Duration timeout, LockKey key) {
        return store.one(timeout, OF_KEY, LeaseQueries::lease, key.value());
    }

    Optional<RunningLease> running(LockId lockId) {
        return store.one(OF_ID, LeaseQueries::lease, lockId.text());
    }

    /** Lists in the order of code points, which is that of UTF-8 and of SQLite. */
    List<RunningLease> startingWith(String prefix, int limit) {
        return store.readable(LIST, LeaseQueries::lease, LockKey.prefix(prefix), limit);
    }

    List<KeyToken> tokens(String prefix, String after, int limit) {
        return store.readable(
                TOKENS,
                row -> new KeyToken(ROWS.key(row), token(row)),
                LockKey.prefix(prefix),
                LockKey.prefix(after),
                limit);
    }

    Optional<FencingToken> lastToken(LockKey key) {
        return store.one(COUNTER, LeaseQueries::token, key.value());
    }

    private static FencingToken token(ResultSet row) throws SQLException {
        return FencingToken.of(Math.min(row.getLong("last_fence"), FencingToken.MAX_VALUE));
    }

    /** Reads a row with the column {@code remaining}. */
    static RunningLease lease(ResultSet row) throws SQLException {
        return new RunningLease(grant(row), Duration.ofMillis(row.getLong("remaining")));
    }

    /** Reads a row of {@code fenceline_lock}. */
    static Grant grant(ResultSet row) throws SQLException {
        return ROWS.grant(ROWS.key(row), row);
    }
}
