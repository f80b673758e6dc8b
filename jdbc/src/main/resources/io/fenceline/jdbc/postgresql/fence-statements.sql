-- Fences on PostgreSQL.

-- :name now
-- The time. As a side effect it limits how long the transaction may be idle, unless a limit is set: a process that is
-- stopped in the middle of a transaction would otherwise lock all later holders out of the fence's row for as long as it
-- is stopped.
CASE WHEN current_setting('idle_in_transaction_session_timeout') <> '0'
       OR set_config('idle_in_transaction_session_timeout', '10s', true) IS NOT NULL
     THEN clock_timestamp()
END

-- :name now_of_write
-- The write also shows the stamp to triggers, since a table may have both: one round trip instead of two.
CASE WHEN set_config('fenceline.stamp',
                     pg_current_xact_id()::text || ':' || (?3)::bigint || ' ' || (?2)::text, true) IS NOT NULL
     THEN {now}
END

-- :name write_if_found
{into} SELECT ?1, ?2, ?3, ?3, {now_of_write} WHERE EXISTS (

-- :name written
-- A row whose fence refused is locked and not changed: it is as another transaction left it, or another stamp in this one.
EXISTS (SELECT FROM fenceline_fences
         WHERE resource = ?1 AND lock_key = ?2 AND highest = ?3 AND xmin = pg_current_xact_id()::xid)

-- :name transaction
-- The transaction's id, which it has since the fence was written.
SELECT pg_current_xact_id_if_assigned()::text

-- :name comparison
WITH RECURSIVE type (id) AS (
  SELECT atttypid FROM pg_attribute WHERE attrelid = to_regclass(?1) AND attname = ?2
  UNION
  SELECT typbasetype FROM type JOIN pg_type ON oid = id WHERE typbasetype <> 0)
SELECT CASE WHEN base.typname = 'citext' OR NOT coalesce(coll.collisdeterministic, true) THEN 'LOOSE'
            WHEN base.typname = 'bpchar' THEN 'PADDED'
            ELSE 'EXACT' END
  FROM pg_attribute AS attribute
  JOIN pg_type AS base ON base.oid IN (SELECT id FROM type) AND base.typbasetype = 0
  LEFT JOIN pg_collation AS coll ON coll.oid = attribute.attcollation
 WHERE attribute.attrelid = to_regclass(?1) AND attribute.attname = ?2

-- :name is_unique
-- Whether a column is unique by itself. No row for a view. An index may carry further columns (INCLUDE); an expression has the number 0.
SELECT EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
                WHERE indrelid = pg_class.oid AND attname = ?2
                  AND indisunique AND indisvalid AND indnkeyatts = 1 AND indpred IS NULL)
  FROM pg_class WHERE oid = to_regclass(?1) AND relkind NOT IN ('v', 'm')

-- :name primary_key
SELECT attname
  FROM pg_index CROSS JOIN unnest(indkey) WITH ORDINALITY AS part (number, place)
  JOIN pg_attribute ON attrelid = indrelid AND attnum = number
 WHERE indrelid = to_regclass(?1) AND indisprimary AND place <= indnkeyatts
 ORDER BY place

-- :name lock_schema
SELECT pg_advisory_xact_lock(hashtextextended('fenceline schema', 0))

-- :name raise
-- Nothing too if another made the row meanwhile: what it has was not seen.
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
     WHERE fence.lock_key = excluded.lock_key AND fence.highest < excluded.highest AND EXISTS (SELECT FROM before)
    RETURNING lock_key, highest, written
), recorded AS (
    INSERT INTO fenceline_fences_audit
           (at, actor, act, resource, key_before, key_after, highest_before, highest_after)
    SELECT clock_timestamp(), asked.actor, 'raise', asked.resource,
           coalesce((SELECT lock_key FROM before), ''), raised.lock_key,
           coalesce((SELECT highest FROM before), 0), raised.highest
      FROM asked, raised
)
SELECT lock_key, highest, written FROM raised

-- :name rebind
-- The new lock's tokens may be smaller than those of the old, so any of them is let in.
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
SELECT highest FROM bound
