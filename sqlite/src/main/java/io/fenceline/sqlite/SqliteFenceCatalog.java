package io.fenceline.sqlite;

import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.spi.Checks;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Lists fences and changes them on an operator's behalf. Records every change in the table {@code fenceline_fences_audit}. */
final class SqliteFenceCatalog implements FenceCatalog {

    /** No text has a byte 255, so names that begin with the prefix are all those between. */
    private static final String LIST = """
            SELECT resource, lock_key, highest, written
              FROM fenceline_fences
             WHERE resource >= ?1 AND resource < ?1 || CAST(x'ff' AS TEXT)
             ORDER BY resource LIMIT ?2""";

    private static final String RAISE = """
            INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
            VALUES (?1, ?2, ?3, 0, wall_clock())
            ON CONFLICT (resource) DO UPDATE SET highest = excluded.highest, updated_at = excluded.updated_at
            RETURNING lock_key, highest, written""";

    /** The new lock's tokens may be smaller than those of the old, so any of them is let in. */
    private static final String REBIND = """
            UPDATE fenceline_fences SET lock_key = ?2, highest = 1, written = 0, updated_at = wall_clock()
             WHERE resource = ?1
            RETURNING resource""";

    private static final String RECORD = """
            INSERT INTO fenceline_fences_audit
                   (at, actor, act, resource, key_before, key_after, highest_before, highest_after)
            VALUES (wall_clock(), ?1, ?2, ?3, ?4, ?5, ?6, ?7)
            RETURNING at""";

    private final SqliteStore store;

    SqliteFenceCatalog(SqliteStore store) {
        this.store = store;
    }

    @Override
    public FenceGuard guard() {
        return new SqliteFenceGuard(store);
    }

    @Override
    public Map<String, Fence> list(String prefix, int limit) {
        Checks.limit(limit);
        Map<String, Fence> fences = new LinkedHashMap<>();
        store.readable(LIST, SqliteFenceCatalog::named, LockKey.prefix(prefix), limit)
                .forEach(fence -> fences.put(fence.getKey(), fence.getValue()));
        return fences;
    }

    private static Map.Entry<String, Fence> named(ResultSet row) throws SQLException {
        return Map.entry(row.getString("resource"), SqliteFenceGuard.fence(row));
    }

    @Override
    public Fence raise(String resource, FenceStamp atLeast, Holder by) {
        String name = ResourceName.of(resource).value();
        Fence now = store.changeAll(statements -> raised(statements, name, atLeast, by));
        if (!now.key().equals(atLeast.key())) {
            throw new ForeignTokenException(name, atLeast, now.key());
        }
        return now;
    }

    private static Fence raised(PreparedStatements statements, String name, FenceStamp atLeast, Holder by)
            throws SQLException {
        Optional<Fence> before = fence(statements, name);
        if (before.isPresent() && !before.get().onClaim(atLeast).isAccepted()) {
            return before.get();
        }
        String key = atLeast.key().value();
        long token = atLeast.token().value();
        long highest = before.map(fence -> fence.highest().value()).orElse(0L);
        if (highest < token) {
            record(statements, by.text(), "raise", name, before.isPresent() ? key : "", key, highest, token);
        }
        return statements.one(RAISE, SqliteFenceGuard::fence, name, key, token).orElseThrow();
    }

    @Override
    public boolean rebind(String resource, LockKey from, LockKey to, Holder by) {
        String name = ResourceName.of(resource).value();
        if (from.equals(to)) {
            throw new IllegalArgumentException("'" + name + "' is to go from lock '" + from + "' to the same lock");
        }
        if (store.one(SqliteFenceGuard.READ, SqliteFenceGuard::fence, name).isEmpty()) {
            return false; // and creates no file
        }
        return store.changeAll(statements -> {
            Optional<Fence> before =
                    fence(statements, name).filter(fence -> fence.key().equals(from));
            if (before.isPresent()) {
                statements.one(REBIND, row -> true, name, to.value());
                long highest = before.get().highest().value();
                record(statements, by.text(), "rebind", name, from.value(), to.value(), highest, 1L);
            }
            return before.isPresent();
        });
    }

    private static Optional<Fence> fence(PreparedStatements statements, String name) throws SQLException {
        return statements.one(SqliteFenceGuard.READ, SqliteFenceGuard::fence, name);
    }

    private static void record(PreparedStatements statements, Object... values) throws SQLException {
        statements.one(RECORD, row -> row.getLong(1), values);
    }
}
