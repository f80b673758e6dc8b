package io.fenceline.sqlite;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.jdbc.product.RunningLease;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Lists a store's leases and changes them on an operator's behalf. Records every change in the table {@code fenceline_audit}. */
final class SqliteLockCatalog implements LockCatalog {

    private static final String RAISE = """
            INSERT INTO fenceline_lock
                   (lock_key, last_fence, fence, tokens, holder, ttl, acquired_at, expires_at, boot_id, ends_at_uptime)
            VALUES (?1, ?2, 0, 0, ?3, 0, 0, 0, '', 0)
            ON CONFLICT (lock_key) DO UPDATE SET last_fence = excluded.last_fence
            RETURNING last_fence""";

    private static final String FORCE_RELEASE = """
            UPDATE fenceline_lock SET lock_id = NULL, last_fence = last_fence + 1
             WHERE lock_key = ?1 AND last_fence < ?2
            RETURNING last_fence""";

    private static final String RECORD = """
            INSERT INTO fenceline_audit (at, actor, act, lock_key, fence_before, fence_after)
            VALUES (wall_clock(), ?1, ?2, ?3, ?4, ?5)
            RETURNING at""";

    private final SqliteStore store;
    private final LeaseQueries leases;
    private final Redaction redaction;

    SqliteLockCatalog(SqliteStore store, Redaction redaction) {
        this.store = store;
        this.leases = new LeaseQueries(store);
        this.redaction = redaction;
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        return leases.startingWith(prefix, limit).stream()
                .map(lease -> lease.record(redaction))
                .toList();
    }

    @Override
    public List<KeyToken> tokens(String prefix, String after, int limit) {
        Checks.limit(limit);
        return leases.tokens(prefix, after, limit);
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        return leases.lastToken(key);
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return store.changeAll(statements -> {
            long before = counter(statements, key);
            if (before < atLeast.value()) {
                number(statements, RAISE, key.value(), atLeast.value(), by.text());
                record(statements, by, "raise", key, before, atLeast.value());
            }
            return FencingToken.of(Math.min(Math.max(before, atLeast.value()), FencingToken.MAX_VALUE));
        });
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        if (lastToken(key).isEmpty()) {
            return Optional.empty(); // and creates no file
        }
        return store.changeAll(statements -> {
            Optional<RunningLease> lease = statements.one(LeaseQueries.OF_KEY, LeaseQueries::lease, key.value());
            if (lease.isPresent()) {
                long before = counter(statements, key);
                long after = number(statements, FORCE_RELEASE, key.value(), FencingToken.MAX_VALUE)
                        .orElseThrow(() -> Checks.noTokenLeft(key));
                record(statements, by, "force-release", key, before, after);
            }
            return lease.map(ended -> ended.record(redaction));
        });
    }

    private static long counter(PreparedStatements statements, LockKey key) throws SQLException {
        return number(statements, LeaseQueries.COUNTER, key.value()).orElse(0L);
    }

    private static void record(
            PreparedStatements statements, Holder by, String act, LockKey key, long before, long after)
            throws SQLException {
        number(statements, RECORD, by.text(), act, key.value(), before, after);
    }

    /** Runs a statement that returns a number from the row that it reads or changes. */
    private static Optional<Long> number(PreparedStatements statements, String sql, Object... values)
            throws SQLException {
        return statements.one(sql, row -> row.getLong(1), values);
    }
}
