-- Locks in a table whose keys are bytes. A product's own file has {now}, and any of these in which it differs.

-- :name runs
held.lock_id IS NOT NULL AND held.expires_at >= {now}

-- :name next_prefix
-- No byte of a key is 255, so keys that begin with the prefix are all those between.
CAST(?1 AS VARBINARY(512)) || X'FF'

-- :name standing
SELECT held.*, {now} AS now FROM fenceline_lock AS held WHERE lock_key = ?1

-- :name running
SELECT held.*, {now} AS now FROM fenceline_lock AS held WHERE held.lock_key = ?1 AND {runs}

-- :name running_id
-- A full scan: an index on lock_id would slow every acquire.
SELECT held.*, {now} AS now FROM fenceline_lock AS held WHERE held.lock_id = ?1 AND {runs}

-- :name counter
SELECT last_fence FROM fenceline_lock WHERE lock_key = ?1 AND last_fence > 0

-- :name list
SELECT held.*, {now} AS now
  FROM fenceline_lock AS held
 WHERE held.lock_key >= ?1 AND held.lock_key < {next_prefix} AND {runs}
 ORDER BY held.lock_key LIMIT ?2

-- :name tokens
SELECT lock_key, last_fence
  FROM fenceline_lock
 WHERE lock_key >= ?1 AND lock_key < {next_prefix} AND lock_key > ?2 AND last_fence > 0
 ORDER BY lock_key LIMIT ?3

-- :name lock
UPDATE fenceline_lock SET tokens = tokens WHERE lock_key = ?1

-- :name raise
MERGE INTO fenceline_lock AS held
USING (SELECT CAST(?1 AS VARBINARY(512)) AS lock_key, CAST(?2 AS BIGINT) AS fence, CAST(?3 AS VARCHAR(255)) AS actor
         FROM (VALUES (0))) AS asked
   ON held.lock_key = asked.lock_key
 WHEN MATCHED THEN UPDATE SET last_fence = GREATEST(held.last_fence, asked.fence)
 WHEN NOT MATCHED THEN INSERT
      (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
      VALUES (asked.lock_key, asked.fence, 0, 0, NULL, asked.actor, 0, 0)

-- :name end
UPDATE fenceline_lock SET lock_id = NULL, last_fence = last_fence + 1 WHERE lock_key = ?1

-- :name record
INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
VALUES ({now}, ?2, ?3, ?1, ?4, ?5)
