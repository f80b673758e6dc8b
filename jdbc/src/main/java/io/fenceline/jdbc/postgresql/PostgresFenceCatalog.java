package io.fenceline.jdbc.postgresql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.guard.FenceDialect;
import io.fenceline.jdbc.guard.FenceTable;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lists fences and puts things right by hand. Every change is one statement with its audit record, so that an operator's program
 * that is stopped in the middle keeps no fence locked.
 */
final class PostgresFenceCatalog implements FenceCatalog {

    private static final String LIST = """
            SELECT resource, lock_key, highest, written
              FROM fenceline_fences
             WHERE resource >= ?1 AND starts_with(resource, ?1)
             ORDER BY resource LIMIT ?2""";

    private static final String READ = """
            SELECT lock_key, highest, written FROM fenceline_fences WHERE resource = ?1""";

    private static final String RAISE = """
            WITH asked AS MATERIALIZED (
                SELECT ?1::text COLLATE "C" AS resource, ?2::text COLLATE "C" AS lock_key, ?3::bigint AS token,
                       ?4::text AS actor, set_config('lock_timeout', ?5::text, true)
            ), before AS MATERIALIZED (
                SELECT fence.*
                  FROM fenceline_fences AS fence, asked
                 WHERE fence.resource = asked.resource
                   FOR NO KEY UPDATE OF fence
            ), raised AS (
                INSERT INTO fenceline_fences AS fence (resource, lock_key, highest, written, updated_at)
                SELECT resource, lock_key, token, 0, clock_timestamp()
                  FROM asked
                 WHERE token > coalesce((SELECT highest FROM before), 0)
                ON CONFLICT (resource) DO UPDATE SET highest = excluded.highest, updated_at = excluded.updated_at
                 WHERE fence.lock_key = excluded.lock_key AND fence.highest < excluded.highest
                RETURNING lock_key, highest, written
            ), recorded AS (
                INSERT INTO fenceline_fences_audit
                       (at, actor, act, resource, key_before, key_after, highest_before, highest_after)
                SELECT clock_timestamp(), asked.actor, 'raise', asked.resource,
                       coalesce((SELECT lock_key FROM before), ''), raised.lock_key,
                       coalesce((SELECT highest FROM before), 0), raised.highest
                  FROM asked, raised
            )
            SELECT lock_key, highest, written FROM raised""";

    /** The new lock's tokens may be smaller than those of the old, so any of them is let in. */
    private static final String REBIND = """
            WITH asked AS MATERIALIZED (
                SELECT ?1::text COLLATE "C" AS resource, ?2::text COLLATE "C" AS key_before,
                       ?3::text COLLATE "C" AS key_after, ?4::text AS actor,
                       set_config('lock_timeout', ?5::text, true)
            ), before AS MATERIALIZED (
                SELECT fence.*
                  FROM fenceline_fences AS fence, asked
                 WHERE fence.resource = asked.resource AND fence.lock_key = asked.key_before
                   FOR NO KEY UPDATE OF fence
            ), bound AS (
                UPDATE fenceline_fences AS fence
                   SET lock_key = asked.key_after, highest = 1, written = 0, updated_at = clock_timestamp()
                  FROM asked, before
                 WHERE fence.resource = before.resource
                RETURNING fence.highest
            ), recorded AS (
                INSERT INTO fenceline_fences_audit
                       (at, actor, act, resource, key_before, key_after, highest_before, highest_after)
                SELECT clock_timestamp(), asked.actor, 'rebind', asked.resource, asked.key_before, asked.key_after,
                       before.highest, bound.highest
                  FROM asked, before, bound
            )
            SELECT highest FROM bound""";

    private final LockStore store;
    private final FenceTable table;

    PostgresFenceCatalog(LockStore store) {
        this.store = store;
        this.table = FenceTable.beside(store.table().name());
    }

    @Override
    public FenceGuard guard() {
        store.database().makeTables();
        return JdbcFenceGuard.on(
                store.database().source(),
                GuardOptions.defaults()
                        .withTable(table.name())
                        .withDialect(FenceDialect.postgresql())
                        .withAutoCommitOff());
    }

    @Override
    public Map<String, Fence> list(String prefix, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ", at least 1 is needed");
        }
        Map<String, Fence> fences = new LinkedHashMap<>();
        store.database()
                .read(
                        connection -> sql(LIST)
                                .readable(connection, PostgresFenceCatalog::named, LockKey.prefix(prefix), limit),
                        List.<Map.Entry<String, Fence>>of())
                .forEach(fence -> fences.put(fence.getKey(), fence.getValue()));
        return fences;
    }

    @Override
    public Fence raise(String resource, FenceStamp atLeast, Holder by) {
        String name = ResourceName.of(resource).value();
        Fence now = store.database()
                .change(connection -> sql(RAISE)
                        .one(
                                connection,
                                PostgresFenceCatalog::fence,
                                name,
                                atLeast.key().value(),
                                atLeast.token().value(),
                                by.text(),
                                store.lockTimeout()))
                // As high already, or another lock's. A statement does not see what was committed after it began.
                .or(() -> read(name))
                .orElseThrow(() -> new BackendException(
                        ErrorCode.ABORTED, Effect.NONE, "the fence of '" + name + "' changes; repeat", null));
        if (!now.key().equals(atLeast.key())) {
            throw new ForeignTokenException(name, atLeast, now.key());
        }
        return now;
    }

    @Override
    public boolean rebind(String resource, LockKey from, LockKey to, Holder by) {
        String name = ResourceName.of(resource).value();
        if (from.equals(to)) {
            throw new IllegalArgumentException("'" + name + "' is to go from lock '" + from + "' to the same lock");
        }
        return store.database()
                .change(connection -> sql(REBIND)
                        .one(connection, row -> true, name, from.value(), to.value(), by.text(), store.lockTimeout()))
                .isPresent();
    }

    private Optional<Fence> read(String name) {
        return store.database().read(connection -> sql(READ).one(connection, PostgresFenceCatalog::fence, name));
    }

    private Sql sql(String text) {
        return new Sql(table.in(text));
    }

    private static Fence fence(ResultSet row) throws SQLException {
        return new Fence(
                LockKey.of(row.getString("lock_key")), FencingToken.of(row.getLong("highest")), row.getLong("written"));
    }

    private static Map.Entry<String, Fence> named(ResultSet row) throws SQLException {
        return Map.entry(row.getString("resource"), fence(row));
    }
}
