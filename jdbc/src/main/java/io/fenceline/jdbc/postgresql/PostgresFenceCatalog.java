package io.fenceline.jdbc.postgresql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.jdbc.catalog.TableFenceCatalog;
import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.guard.FenceDialect;

/**
 * The catalog on PostgreSQL. Every change is one statement with its audit record, so that an operator's program
 * that is stopped in the middle keeps no fence locked.
 */
final class PostgresFenceCatalog extends TableFenceCatalog {

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

    PostgresFenceCatalog(LockStore store) {
        super(store, FenceDialect.postgresql());
        this.store = store;
    }

    @Override
    protected String beginsWithPrefix() {
        return "starts_with(resource, ?1)";
    }

    @Override
    protected Fence raised(String name, FenceStamp atLeast, Holder by) {
        return store.database()
                .change(connection -> sql(RAISE)
                        .one(
                                connection,
                                this::fence,
                                name,
                                atLeast.key().value(),
                                atLeast.token().value(),
                                by.text(),
                                store.lockTimeout()))
                // As high already, or another lock's. A statement does not see what was committed after it began.
                .or(() -> store.database().read(connection -> sql(READ).one(connection, this::fence, name)))
                .orElseThrow(() -> new BackendException(
                        ErrorCode.ABORTED, Effect.NONE, "the fence of '" + name + "' changes; repeat", null));
    }

    @Override
    protected boolean rebound(String name, LockKey from, LockKey to, Holder by) {
        return store.database()
                .change(connection -> sql(REBIND)
                        .one(connection, row -> true, name, from.value(), to.value(), by.text(), store.lockTimeout()))
                .isPresent();
    }
}
