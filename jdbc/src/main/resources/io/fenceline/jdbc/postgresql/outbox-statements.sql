-- An outbox on PostgreSQL.

-- :name insert
INSERT INTO fenceline_outbox
       (outbox, resource, lock_key, fence, idempotency_key, destination, payload, headers)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (outbox, idempotency_key) DO NOTHING

-- :name columns
SELECT m.*, (extract(epoch FROM m.added_at) * 1000)::bigint AS added_ms,
       (extract(epoch FROM m.next_attempt_at) * 1000)::bigint AS next_attempt_ms
  FROM fenceline_outbox AS m

-- :name find
{columns}
 WHERE m.outbox = ?1 AND m.idempotency_key = ?2

-- :name ready
-- Sizes first: SQL keeps what is sorted, and payloads can be large.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
ready AS (
  SELECT m.id, octet_length(m.payload) AS bytes
    FROM fenceline_outbox AS m CROSS JOIN clock
   WHERE m.outbox = ?1 AND m.settled_at IS NULL AND m.state <> 'DEAD' AND m.next_attempt_at <= clock.now
     AND NOT EXISTS (
         SELECT FROM fenceline_outbox AS earlier
          WHERE earlier.outbox = m.outbox AND earlier.resource = m.resource AND earlier.id < m.id
            AND earlier.settled_at IS NULL
            AND CASE earlier.state WHEN 'DEAD' THEN ?2::boolean
                                   ELSE earlier.next_attempt_at > clock.now END)
   ORDER BY m.id
   LIMIT ?3),
sized AS (SELECT id AS ready_id, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM ready)
{columns}
 JOIN sized ON ready_id = m.id
WHERE bytes_before < ?4
ORDER BY m.id

-- :name begin
UPDATE fenceline_outbox
   SET attempts = attempts + CASE state WHEN 'PENDING' THEN 1 ELSE 0 END,
       compensations = compensations + CASE state WHEN 'COMPENSATING' THEN 1 ELSE 0 END
 WHERE id = ?1 AND state = ?2

-- :name mark
UPDATE fenceline_outbox
   SET state = ?3, last_error = ?5,
       next_attempt_at = clock_timestamp() + ?4::bigint * interval '1 millisecond',
       settled_at = CASE WHEN ?6::boolean THEN clock_timestamp() END
 WHERE id = ?1 AND (state = ?2 OR ?3 = 'DELIVERED')

-- :name retry
UPDATE fenceline_outbox
   SET state = 'PENDING', attempts = 0, compensations = 0, next_attempt_at = clock_timestamp(),
       last_error = left(?3 || last_error, 2000)
 WHERE outbox = ?1 AND idempotency_key = ?2 AND state IN ('PENDING', 'DEAD')

-- :name skip
UPDATE fenceline_outbox
   SET state = 'SKIPPED', settled_at = clock_timestamp(), last_error = left(?3 || last_error, 2000)
 WHERE outbox = ?1 AND idempotency_key = ?2 AND state IN ('PENDING', 'DEAD')

-- :name purge
DELETE FROM fenceline_outbox
 WHERE id IN (SELECT id FROM fenceline_outbox
               WHERE outbox = ?1 AND settled_at < clock_timestamp() - ?2::bigint * interval '1 millisecond'
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
       (extract(epoch FROM clock_timestamp() - min(added_at)) * 1000)::bigint AS oldest_ms
  FROM fenceline_outbox
 WHERE outbox = ?1 AND settled_at IS NULL
