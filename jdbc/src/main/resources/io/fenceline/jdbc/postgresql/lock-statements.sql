-- Locks in a table on PostgreSQL.

-- :name acquire
-- The answer is what was updated or inserted, and the row as it was when the statement began.  <p>Only if no lease runs
-- in the row does the statement try to write. It then waits for its twins, requests under the same lock id that are
-- still on their way to an answer: whoever is refused may rely on it that its id was not granted before it asked. And it
-- goes on only if no other writes at this moment: that turn is tried and not waited for. Without it each of many
-- contenders would wait for the one before it to reach the disk, only to be refused.  <p>A row that was changed
-- meanwhile is judged again as changed; both times are read then, from one look at the clock. A row that is unknown is
-- inserted; if another was faster, nothing happens.
WITH updated AS (
    UPDATE fenceline_lock AS lock
       SET last_fence = lock.last_fence + ?3::int, fence = lock.last_fence + 1, tokens = ?3::int,
           lock_id = ?2::text, holder = ?4::text,
           (acquired_at, expires_at) = (
               SELECT clock.now, clock.now + ?5::bigint * interval '1 millisecond'
                 FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
     WHERE lock.lock_key = ?1::text AND lock.last_fence <= 900000000000000 - ?3::int
       AND CASE WHEN lock.lock_id IS NULL OR lock.expires_at <= clock_timestamp()
                THEN set_config('lock_timeout', ?6::text, true) IS NOT NULL
                     AND pg_advisory_xact_lock(
                             hashtextextended(?2::text, - 'fenceline_lock'::regclass::oid::bigint)) IS NOT NULL
                     AND pg_try_advisory_xact_lock(
                             hashtextextended(?1::text, 'fenceline_lock'::regclass::oid::bigint))
           END
    RETURNING lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at
), inserted AS (
    INSERT INTO fenceline_lock AS lock
           (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
    SELECT ?1::text, ?3::int, 1, ?3::int, ?2::text, ?4::text,
           clock.now, clock.now + ?5::bigint * interval '1 millisecond'
      FROM (SELECT clock_timestamp()) AS clock (now)
     WHERE CASE WHEN NOT EXISTS (SELECT FROM fenceline_lock AS known WHERE known.lock_key = ?1::text)
                THEN set_config('lock_timeout', ?6::text, true) IS NOT NULL
                     AND pg_advisory_xact_lock(
                             hashtextextended(?2::text, - 'fenceline_lock'::regclass::oid::bigint)) IS NOT NULL
           END
    ON CONFLICT (lock_key) DO NOTHING
    RETURNING lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at
)
SELECT true AS granted, *, 0 AS last_fence, acquired_at AS now, true AS runs FROM updated
UNION ALL
SELECT true, *, 0, acquired_at, true FROM inserted
UNION ALL
SELECT false, lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at,
       lock.last_fence, clock.now, lock.lock_id IS NOT NULL AND lock.expires_at > clock.now
  FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
 WHERE lock.lock_key = ?1::text

-- :name call_acquire
SELECT * FROM fenceline_lock_acquire_1(
    'fenceline_lock'::regclass, ?1::text, ?2::text, ?3::int, ?4::text, ?5::bigint, ?6::text)

-- :name extend
UPDATE fenceline_lock AS lock
   SET expires_at = greatest(lock.expires_at, clock_timestamp() + ?3::bigint * interval '1 millisecond')
 WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text
   AND CASE WHEN lock.expires_at > clock_timestamp()
            THEN set_config('lock_timeout', ?4::text, true) IS NOT NULL
       END
RETURNING lock.expires_at

-- :name running_of_asked
-- Rows are locked in the order of their keys, so that two requests with leases in common cannot wait for each other.
WITH asked AS MATERIALIZED (
    SELECT lease.lock_key COLLATE "C" AS lock_key, lease.lock_id, lease.millis, patience.lock_timeout
      FROM (SELECT set_config('lock_timeout', ?4::text, true)) AS patience (lock_timeout),
           unnest(?1::text[], ?2::text[], ?3::bigint[]) AS lease (lock_key, lock_id, millis)
), running AS MATERIALIZED (
    SELECT lock.lock_key, lock.lock_id, asked.millis
      FROM fenceline_lock AS lock, asked
     WHERE lock.lock_key = asked.lock_key AND lock.lock_id = asked.lock_id AND lock.expires_at > clock_timestamp()
     ORDER BY lock.lock_key
       FOR NO KEY UPDATE OF lock

-- :name extended_of_running
)
UPDATE fenceline_lock AS lock
   SET expires_at = greatest(lock.expires_at, clock_timestamp() + running.millis * interval '1 millisecond')
  FROM running
 WHERE lock.lock_key = running.lock_key AND lock.lock_id = running.lock_id AND lock.expires_at > clock_timestamp()
RETURNING lock.lock_id, lock.expires_at

-- :name extend_all_free
{running_of_asked} SKIP LOCKED {extended_of_running}

-- :name extend_all
{running_of_asked} {extended_of_running}

-- :name stored_of_asked
-- Also those that have expired: somebody else may be extending one of them.
SELECT lock.lock_id
  FROM fenceline_lock AS lock, unnest(?1::text[], ?2::text[]) AS lease (lock_key, lock_id)
 WHERE lock.lock_key = lease.lock_key COLLATE "C" AND lock.lock_id = lease.lock_id

-- :name release
-- Does not wait for the disk: if the server dies before the release is written, the lease runs to its end. The next
-- grant is written after it and waited for.  <p>Waiters share an advisory lock on their connections for signals. Only if
-- it cannot be had alone does anybody wait, and is notified. It is released with the statement.
UPDATE fenceline_lock AS lock
   SET lock_id = NULL
 WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text
   AND CASE WHEN lock.expires_at > clock_timestamp()
            THEN set_config('lock_timeout', ?5::text, true) IS NOT NULL
                 AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       END
RETURNING CASE WHEN pg_try_advisory_xact_lock(?3::bigint) THEN ''
               ELSE pg_notify(?4::text, '')::text
          END

-- :name release_after
-- Waits for the disk, unlike release: the rest is a promise. Waiters are notified as by release, since the end may be sooner than
-- they know.
UPDATE fenceline_lock AS lock
   SET expires_at = clock_timestamp() + ?3::bigint * interval '1 millisecond'
 WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text
   AND CASE WHEN lock.expires_at > clock_timestamp()
            THEN set_config('lock_timeout', ?6::text, true) IS NOT NULL
       END
RETURNING CASE WHEN pg_try_advisory_xact_lock(?4::bigint) THEN ''
               ELSE pg_notify(?5::text, '')::text
          END

-- :name running
SELECT lock.*, clock.now
  FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
 WHERE lock.lock_key = ?1 AND lock.lock_id IS NOT NULL AND lock.expires_at > clock.now

-- :name running_id
-- A full scan: an index on lock_id would slow every acquire.
SELECT lock.*, clock.now
  FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
 WHERE lock.lock_id = ?1 AND lock.expires_at > clock.now

-- :name succeed
-- The row is passed on unless others wait and shall come first; then it is freed, and they are notified. They show
-- themselves by the advisory lock that waiters share, see SignalConnection; our own listener shares it as well,
-- and does not count.
WITH others AS MATERIALIZED (
    SELECT count(*)::int AS number
      FROM pg_locks
     WHERE ?8::boolean AND locktype = 'advisory' AND objsubid = 1 AND pid <> ?11::int
       AND classid = ((?9::bigint >> 32) & 4294967295)::oid AND objid = (?9::bigint & 4294967295)::oid
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), passed AS (
    UPDATE fenceline_lock AS lock
       SET last_fence = lock.last_fence + ?4::int, fence = lock.last_fence + 1, tokens = ?4::int,
           lock_id = ?3::text, holder = ?5::text,
           (acquired_at, expires_at) = (
               SELECT clock.now, clock.now + ?6::bigint * interval '1 millisecond'
                 FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
     WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text AND lock.last_fence <= 900000000000000 - ?4::int
       AND (SELECT number FROM others) = 0
       AND CASE WHEN lock.expires_at > clock_timestamp()
                THEN set_config('lock_timeout', ?7::text, true) IS NOT NULL
           END
    RETURNING lock.fence, lock.acquired_at, lock.expires_at, 0 AS others, lock.last_fence
), yielded AS (
    UPDATE fenceline_lock AS lock
       SET lock_id = NULL
     WHERE lock.lock_key = ?1::text AND lock.lock_id = ?2::text AND lock.last_fence <= 900000000000000 - ?4::int
       AND (SELECT number FROM others) > 0
       AND CASE WHEN lock.expires_at > clock_timestamp()
                THEN set_config('lock_timeout', ?7::text, true) IS NOT NULL
                     AND set_config('synchronous_commit', 'off', true) IS NOT NULL
           END
    RETURNING pg_notify(?10::text, ?11::text), lock.last_fence
)
SELECT * FROM passed
UNION ALL
SELECT 0, NULL, NULL, others.number, yielded.last_fence FROM yielded, others

-- :name call_succeed
SELECT * FROM fenceline_lock_succeed_1(
    'fenceline_lock'::regclass, ?1::text, ?2::text, ?3::text, ?4::int, ?5::text, ?6::bigint, ?7::text,
    ?8::boolean, ?9::bigint, ?10::text, ?11::int)
 WHERE fence IS NOT NULL

-- :name standing
SELECT last_fence
  FROM fenceline_lock
 WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at > clock_timestamp()

-- :name counter
SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1 AND last_fence > 0

-- :name list
SELECT lock.*, clock.now
  FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
 WHERE lock.lock_key >= ?1 AND starts_with(lock.lock_key, ?1)
   AND lock.lock_id IS NOT NULL AND lock.expires_at > clock.now
 ORDER BY lock.lock_key LIMIT ?2

-- :name tokens
SELECT lock_key, last_fence
  FROM fenceline_lock
 WHERE lock_key >= ?1 AND starts_with(lock_key, ?1) AND lock_key > ?2 AND last_fence > 0
 ORDER BY lock_key LIMIT ?3

-- :name raise
-- Nothing if another made the row meanwhile: what it has was not seen.
WITH asked AS MATERIALIZED (
    SELECT ?1::text COLLATE "C" AS lock_key, ?2::bigint AS fence, ?3::text AS actor,
           set_config('lock_timeout', ?4::text, true)
), before AS MATERIALIZED (
    SELECT lock.last_fence
      FROM fenceline_lock AS lock, asked
     WHERE lock.lock_key = asked.lock_key
       FOR NO KEY UPDATE OF lock
), raised AS (
    INSERT INTO fenceline_lock AS lock
           (lock_key, last_fence, fence, tokens, holder, acquired_at, expires_at)
    SELECT lock_key, fence, 0, 0, actor, clock_timestamp(), clock_timestamp()
      FROM asked
     WHERE fence > coalesce((SELECT last_fence FROM before), 0)
    ON CONFLICT (lock_key) DO UPDATE SET last_fence = excluded.last_fence WHERE EXISTS (SELECT FROM before)
    RETURNING lock.last_fence
), recorded AS (
    INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
    SELECT clock_timestamp(), asked.actor, 'raise', asked.lock_key,
           coalesce((SELECT last_fence FROM before), 0), raised.last_fence
      FROM asked, raised
)
SELECT last_fence FROM raised
 UNION ALL
SELECT last_fence FROM before WHERE NOT EXISTS (SELECT FROM raised)

-- :name force_release
WITH asked AS MATERIALIZED (
    SELECT ?1::text COLLATE "C" AS lock_key, ?2::text AS actor, ?3::bigint AS waiters, ?4::text AS channel,
           set_config('lock_timeout', ?5::text, true)
), running AS MATERIALIZED (
    SELECT lock.*, clock.now
      FROM asked, fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
     WHERE lock.lock_key = asked.lock_key AND lock.lock_id IS NOT NULL AND lock.expires_at > clock.now
       FOR NO KEY UPDATE OF lock
), ended AS (
    UPDATE fenceline_lock AS lock
       SET lock_id = NULL, last_fence = lock.last_fence + 1
      FROM running
     WHERE lock.lock_key = running.lock_key AND running.last_fence < 900000000000000
    RETURNING lock.last_fence
), recorded AS (
    INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
    SELECT clock_timestamp(), asked.actor, 'force-release', asked.lock_key,
           running.last_fence, ended.last_fence
      FROM asked, running, ended
)
SELECT running.*, ended.last_fence IS NOT NULL AS has_ended,
       CASE WHEN ended.last_fence IS NULL OR pg_try_advisory_xact_lock(asked.waiters) THEN ''
            ELSE pg_notify(asked.channel, '')::text END
  FROM asked, running LEFT JOIN ended ON true

-- :name columns
-- The columns of a table with their types as scripts write them. The key is there if a unique index has just its columns, so
-- that ON CONFLICT accepts it.
SELECT attname AS what,
       replace(replace(format_type(atttypid, atttypmod), 'timestamp with time zone', 'timestamptz'), '"', '')
       || CASE WHEN collname = 'C' THEN ' COLLATE "C"' ELSE '' END
       || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS definition,
       attname = ANY (?3::text[])
       AND EXISTS (SELECT FROM pg_index
                    WHERE indrelid = attrelid AND indisunique AND indisvalid AND indimmediate
                      AND indpred IS NULL AND indexprs IS NULL
                      AND (SELECT array_agg(its.attname::text ORDER BY its.attname::text)
                             FROM pg_attribute AS its
                            WHERE its.attrelid = indrelid AND its.attnum = ANY ((indkey::int2[])[0:indnkeyatts - 1]))
                          = (SELECT array_agg(wanted ORDER BY wanted) FROM unnest(?3::text[]) AS wanted)) AS keyed
  FROM pg_attribute LEFT JOIN pg_collation ON pg_collation.oid = attcollation
 WHERE attrelid = to_regclass(CASE ?1 WHEN '' THEN '' ELSE ?1 || '.' END || ?2) AND attnum > 0 AND NOT attisdropped

-- :name functions
-- Which functions of some names calls find, and where their place is: beside the table.
SELECT wanted.name, found.oid IS NOT NULL AS is_there, replace(proc.prosrc, chr(13), '') AS body,
       has_function_privilege(found.oid, 'EXECUTE') AS is_allowed,
       has_schema_privilege(home.oid, 'CREATE') AS can_be_made, quote_ident(home.nspname) AS home
  FROM pg_class AS locks JOIN pg_namespace AS home ON home.oid = locks.relnamespace,
       unnest(?1::text[]) AS wanted (name) CROSS JOIN LATERAL (SELECT to_regproc(wanted.name)::oid) AS found (oid)
       LEFT JOIN pg_proc AS proc ON proc.oid = found.oid
 WHERE locks.oid = to_regclass('fenceline_lock')

-- :name triggered
SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass(?1) AND tgname = ?2 AND tgenabled <> 'D'

-- :name settings
SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
       current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
       current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('synchronous_standby_names') AS standbys,
       (SELECT count(*) FROM pg_stat_replication) AS replicas,
       current_setting('default_transaction_isolation') AS isolation,
       current_setting('default_transaction_read_only') AS read_only, pg_is_in_recovery() AS standby,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         AS max_connections,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type IN ('client backend', 'walsender'))
         AS connections,
       current_setting('server_encoding') AS encoding, clock_timestamp() AS now

-- :name place
-- The schema in which this role finds the table, or would make it, and the other ones that have such a table.
SELECT coalesce(found.schema, current_schema()) AS schema,
       coalesce(found.schema, current_schema()) = current_user AS is_own,
       current_setting('search_path') LIKE '%$user%' AS differs_between_roles,
       (SELECT string_agg(nspname, ', ' ORDER BY nspname)
          FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE relname = ?1 AND relkind IN ('r', 'p') AND nspname <> found.schema) AS others
  FROM (SELECT (SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                 WHERE pg_class.oid = to_regclass(?1)) AS schema) AS found

-- :name privileges
SELECT needed.privilege || ' on ' || needed.relation
  FROM (VALUES (?1, 'SELECT'), (?1, 'INSERT'), (?1, 'UPDATE'), (?2, 'INSERT'),
               (?3, 'SELECT'), (?3, 'INSERT'), (?3, 'UPDATE'), (?4, 'INSERT')) AS needed (relation, privilege)
 WHERE to_regclass(needed.relation) IS NOT NULL
   AND NOT has_table_privilege(to_regclass(needed.relation), needed.privilege)

-- :name unlogged
-- Tables that a crash of the server empties.
SELECT named.relation
  FROM (VALUES (?1::text), (?2::text)) AS named (relation)
  JOIN pg_class ON pg_class.oid = to_regclass(named.relation)
 WHERE relpersistence <> 'p'

-- :name interference
-- What may change or swallow what is written to a table. Fenceline's own triggers look at deletions only.
SELECT found.what || ' on ' || named.relation
  FROM (VALUES (?1::text), (?2::text)) AS named (relation)
  JOIN pg_class ON pg_class.oid = to_regclass(named.relation)
 CROSS JOIN LATERAL (
       SELECT 'trigger ' || quote_ident(tgname)
         FROM pg_trigger
        WHERE tgrelid = pg_class.oid AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & (4 | 16) <> 0
        UNION ALL
       SELECT 'rule ' || quote_ident(rulename)
         FROM pg_rewrite
        WHERE ev_class = pg_class.oid AND ev_enabled <> 'D' AND ev_type <> '1'
        UNION ALL
       SELECT 'row-level security' WHERE row_security_active(pg_class.oid)) AS found (what)
ORDER BY 1
