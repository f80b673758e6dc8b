-- An outbox on SQLite.

-- :name now
CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)

-- :name insert
INSERT INTO fenceline_outbox
       (outbox, resource, lock_key, fence, idempotency_key, destination, payload, headers,
        added_at, next_attempt_at)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, now, now
  FROM (SELECT {now} AS now)
 WHERE true
ON CONFLICT (outbox, idempotency_key) DO NOTHING

-- :name columns
SELECT m.*, m.added_at AS added_ms, m.next_attempt_at AS next_attempt_ms
  FROM fenceline_outbox AS m

-- :name find
{columns}
 WHERE m.outbox = ?1 AND m.idempotency_key = ?2

-- :name ready
WITH clock AS MATERIALIZED (SELECT {now} AS now)
{columns}
 CROSS JOIN clock
WHERE m.outbox = ?1 AND m.settled_at IS NULL AND m.state <> 'DEAD' AND m.next_attempt_at <= clock.now
  AND NOT EXISTS (
      SELECT 1 FROM fenceline_outbox AS earlier
       WHERE earlier.outbox = m.outbox AND earlier.resource = m.resource AND earlier.id < m.id
         AND earlier.settled_at IS NULL
         AND CASE earlier.state WHEN 'DEAD' THEN ?2
                                ELSE earlier.next_attempt_at > clock.now END)
ORDER BY m.id
LIMIT ?3

-- :name begin
UPDATE fenceline_outbox
   SET attempts = attempts + CASE state WHEN 'PENDING' THEN 1 ELSE 0 END,
       compensations = compensations + CASE state WHEN 'COMPENSATING' THEN 1 ELSE 0 END
 WHERE id = ?1 AND state = ?2

-- :name mark
UPDATE fenceline_outbox
   SET state = ?3, last_error = ?5,
       next_attempt_at = {now} + ?4,
       settled_at = CASE WHEN ?6 THEN {now} END
 WHERE id = ?1 AND (state = ?2 OR ?3 = 'DELIVERED')

-- :name retry
UPDATE fenceline_outbox
   SET state = 'PENDING', attempts = 0, compensations = 0, next_attempt_at = {now},
       last_error = substr(?3 || last_error, 1, 2000)
 WHERE outbox = ?1 AND idempotency_key = ?2 AND state IN ('PENDING', 'DEAD')

-- :name skip
UPDATE fenceline_outbox
   SET state = 'SKIPPED', settled_at = {now}, last_error = substr(?3 || last_error, 1, 2000)
 WHERE outbox = ?1 AND idempotency_key = ?2 AND state IN ('PENDING', 'DEAD')

-- :name purge
DELETE FROM fenceline_outbox
 WHERE id IN (SELECT id FROM fenceline_outbox
               WHERE outbox = ?1 AND settled_at < {now} - ?2
               LIMIT ?3)

-- :name list
{columns}
 WHERE m.outbox = ?1 AND m.state = ?2
ORDER BY m.id
LIMIT ?3

-- :name progress
SELECT count(*) FILTER (WHERE state = 'PENDING') AS pending,
       count(*) FILTER (WHERE state = 'COMPENSATING') AS compensating,
       count(*) FILTER (WHERE state = 'DEAD') AS dead,
       {now} - min(added_at) AS oldest_ms
  FROM fenceline_outbox
 WHERE outbox = ?1 AND settled_at IS NULL
