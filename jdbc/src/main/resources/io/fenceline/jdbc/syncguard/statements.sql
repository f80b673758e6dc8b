-- Locks in SyncGuard's tables on PostgreSQL.

-- :name now
-- In milliseconds, as SyncGuard asks for it.
floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint

-- :name key_locked
-- By SyncGuard's rule all who decide on a key wait for each other here, before they look at its rows.
SELECT set_config('lock_timeout', ?2::text, true), pg_advisory_xact_lock(hashtext(?1::text))

-- :name acquire
-- What was granted or stands. If neither, no token is left, or an extension that takes no advisory lock was faster.
-- <p>The advisory lock keeps the counter still, so the token can be told before the counter is raised.  <p>A dead row is
-- locked before the clock is read: an insert that waits for somebody's delete of it would go on with the time at which
-- it began to wait. Who is refused locks nothing.
{key_locked};
SELECT key FROM syncguard_locks WHERE key = ?1::text AND expires_at_ms <= {now} - 1000 FOR UPDATE;
WITH clock AS MATERIALIZED (
    SELECT {now} AS now
), counter AS MATERIALIZED (
    SELECT coalesce((SELECT fence FROM syncguard_fence_counters WHERE fence_key = ?3::text), 0) AS last_fence
), standing AS MATERIALIZED (
    SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
      FROM syncguard_locks AS lock, clock
     WHERE lock.key = ?1::text AND lock.expires_at_ms > clock.now - 1000
), granted AS (
    INSERT INTO syncguard_locks AS lock (key, lock_id, expires_at_ms, acquired_at_ms, fence, user_key)
    SELECT ?1::text, ?4::text, clock.now + ?5::bigint, clock.now,
           lpad((counter.last_fence + 1)::text, 15, '0'), ?6::text
      FROM clock, counter
     WHERE NOT EXISTS (SELECT FROM standing) AND counter.last_fence <= 900000000000000 - ?7::int
    ON CONFLICT (key) DO UPDATE
       SET lock_id = excluded.lock_id, fence = excluded.fence, user_key = excluded.user_key,
           (acquired_at_ms, expires_at_ms) = (
               SELECT clock.now, clock.now + ?5::bigint
                 FROM (SELECT {now} WHERE lock.key IS NOT NULL) AS clock (now))
     WHERE lock.expires_at_ms <= {now} - 1000
    RETURNING lock.lock_id, lock.fence, lock.acquired_at_ms, lock.expires_at_ms
), counted AS (
    INSERT INTO syncguard_fence_counters AS counter (fence_key, fence, key_debug)
    SELECT ?3::text, ?7::int, ?6::text FROM granted
    ON CONFLICT (fence_key) DO UPDATE SET fence = counter.fence + excluded.fence
)
SELECT counter.last_fence, coalesce(standing.remaining_ms, 0) AS remaining_ms,
       coalesce(granted.lock_id, standing.lock_id) AS lock_id,
       coalesce(granted.fence, standing.fence) AS fence,
       coalesce(granted.acquired_at_ms, standing.acquired_at_ms) AS acquired_at_ms,
       coalesce(granted.expires_at_ms, standing.expires_at_ms) AS expires_at_ms
  FROM counter LEFT JOIN standing ON true LEFT JOIN granted ON true

-- :name extend
{key_locked};
SELECT key FROM syncguard_locks WHERE key = ?1::text AND lock_id = ?3::text FOR UPDATE;
UPDATE syncguard_locks AS lock
   SET expires_at_ms = greatest(lock.expires_at_ms, clock.now + ?4::bigint)
  FROM (SELECT {now}) AS clock (now)
 WHERE lock.key = ?1::text AND lock.lock_id = ?3::text AND lock.expires_at_ms > clock.now - 1000
RETURNING lock.expires_at_ms

-- :name release
-- Needs no advisory lock: whoever looks at the row sees the lease, or sees that it is over. Does not wait for the disk
-- either: if the server dies before the release is written, the lease runs to its end.
SELECT set_config('lock_timeout', ?2::text, true), set_config('synchronous_commit', 'off', true);
SELECT key FROM syncguard_locks WHERE key = ?1::text AND lock_id = ?3::text FOR UPDATE;
DELETE FROM syncguard_locks AS lock
 USING (SELECT {now}) AS clock (now)
 WHERE lock.key = ?1::text AND lock.lock_id = ?3::text AND lock.expires_at_ms > clock.now - 1000
RETURNING lock.key

-- :name release_after
{key_locked};
SELECT key FROM syncguard_locks WHERE key = ?1::text AND lock_id = ?3::text FOR UPDATE;
UPDATE syncguard_locks AS lock
   SET expires_at_ms = clock.now + ?4::bigint
  FROM (SELECT {now}) AS clock (now)
 WHERE lock.key = ?1::text AND lock.lock_id = ?3::text AND lock.expires_at_ms > clock.now - 1000
RETURNING lock.key

-- :name running
SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
  FROM syncguard_locks AS lock, (SELECT {now}) AS clock (now)
 WHERE lock.key = ?1::text AND lock.expires_at_ms > clock.now - 1000

-- :name running_id
SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
  FROM syncguard_locks AS lock, (SELECT {now}) AS clock (now)
 WHERE lock.lock_id = ?1::text AND lock.expires_at_ms > clock.now - 1000

-- :name list
SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
  FROM syncguard_locks AS lock, (SELECT {now}) AS clock (now)
 WHERE starts_with(lock.user_key, ?1::text) AND lock.expires_at_ms > clock.now - 1000
 ORDER BY lock.user_key COLLATE "C" LIMIT ?2

-- :name counter
SELECT fence FROM syncguard_fence_counters WHERE fence_key = ?1::text AND fence > 0

-- :name tokens
SELECT counter.lock_key, counter.fence AS last_fence
  FROM (SELECT substr(fence_key, 7) COLLATE "C" AS lock_key, fence
          FROM syncguard_fence_counters
         WHERE starts_with(fence_key, 'fence:' || ?1::text) AND fence > 0) AS counter
 WHERE counter.lock_key > ?2::text
 ORDER BY counter.lock_key LIMIT ?3

-- :name raise
{key_locked};
INSERT INTO syncguard_fence_counters AS counter (fence_key, fence, key_debug)
VALUES (?3::text, ?4::bigint, ?1::text)
ON CONFLICT (fence_key) DO UPDATE SET fence = greatest(counter.fence, excluded.fence)
RETURNING counter.fence

-- :name force_release
{key_locked};
SELECT key FROM syncguard_locks WHERE key = ?1::text FOR UPDATE;
WITH running AS MATERIALIZED (
    SELECT lock.*, lock.expires_at_ms + 1000 - clock.now AS remaining_ms
      FROM syncguard_locks AS lock, (SELECT {now}) AS clock (now)
     WHERE lock.key = ?1::text AND lock.expires_at_ms > clock.now - 1000
), spent AS (
    INSERT INTO syncguard_fence_counters AS counter (fence_key, fence, key_debug)
    SELECT ?3::text, running.fence::bigint + 1, running.user_key FROM running
    ON CONFLICT (fence_key) DO UPDATE SET fence = counter.fence + 1 WHERE counter.fence < 900000000000000
    RETURNING counter.fence
), ended AS (
    DELETE FROM syncguard_locks AS lock USING spent WHERE lock.key = ?1::text
)
SELECT running.*, spent.fence IS NOT NULL AS has_ended
  FROM running LEFT JOIN spent ON true

-- :name problems
WITH expected (relation, line) AS (
    VALUES ('syncguard_locks', 'key text NOT NULL'), ('syncguard_locks', 'lock_id text NOT NULL'),
           ('syncguard_locks', 'expires_at_ms bigint NOT NULL'), ('syncguard_locks', 'acquired_at_ms bigint NOT NULL'),
           ('syncguard_locks', 'fence text NOT NULL'), ('syncguard_locks', 'user_key text NOT NULL'),
           ('syncguard_fence_counters', 'fence_key text NOT NULL'),
           ('syncguard_fence_counters', 'fence bigint NOT NULL'), ('syncguard_fence_counters', 'key_debug text')
), found AS (
    SELECT relation, attname,
           attname || ' ' || replace(format_type(atttypid, atttypmod), '"', '') || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
             AS line
      FROM (SELECT DISTINCT relation FROM expected) AS expected
      JOIN pg_attribute ON attrelid = to_regclass(relation) AND attnum > 0 AND NOT attisdropped
), one_row (relation, col) AS (
    VALUES ('syncguard_locks', 'key'), ('syncguard_locks', 'lock_id'), ('syncguard_fence_counters', 'fence_key')
)
SELECT format('table %s is missing', relation)
  FROM (SELECT DISTINCT relation FROM expected) AS expected
 WHERE to_regclass(relation) IS NULL
UNION ALL
SELECT format('column %s of %s is %s; it should be: %s', split_part(expected.line, ' ', 1), expected.relation,
              coalesce(found.line, 'missing'), expected.line)
  FROM expected
  LEFT JOIN found ON found.relation = expected.relation AND found.attname = split_part(expected.line, ' ', 1)
 WHERE to_regclass(expected.relation) IS NOT NULL AND found.line IS DISTINCT FROM expected.line
UNION ALL
SELECT format('%s of %s has no unique index', col, relation)
  FROM one_row
 WHERE to_regclass(relation) IS NOT NULL
   AND NOT EXISTS (
       SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
        WHERE indrelid = to_regclass(relation) AND indisunique AND indisvalid AND indnkeyatts = 1
          AND attname = col AND indpred IS NULL)
UNION ALL
SELECT format('the trigger %1$s of %2$s keeps locks from being released; run: DROP TRIGGER %1$s ON %2$s', tgname, relation)
  FROM (SELECT DISTINCT relation FROM expected) AS expected
  JOIN pg_trigger ON tgrelid = to_regclass(relation) AND tgname = 'keeps_token_counters' AND tgenabled <> 'D'

-- :name privileges
SELECT needed.privilege || ' on ' || needed.relation
  FROM (VALUES (?1, 'SELECT'), (?1, 'INSERT'), (?1, 'UPDATE'), (?1, 'DELETE'),
               (?2, 'SELECT'), (?2, 'INSERT'), (?2, 'UPDATE')) AS needed (relation, privilege)
 WHERE to_regclass(needed.relation) IS NOT NULL
   AND NOT has_table_privilege(to_regclass(needed.relation), needed.privilege)
