-- Locks in a table on H2.

-- :name now
-- The time at which it is asked, in milliseconds. CURRENT_TIMESTAMP is the time at which the statement began, which may
-- have waited for a row since. The first 48 bits of a UUID of version 7 are milliseconds since 1970 (RFC 9562).
CAST(X'0000' || SUBSTRING(CAST(RANDOM_UUID(7) AS VARBINARY) FROM 1 FOR 6) AS BIGINT)

-- :name take
-- The condition is judged again if the row has changed while it was waited for. Both times are one look at the clock.
SELECT fence, tokens, lock_id, holder, acquired_at, expires_at FROM FINAL TABLE (
  UPDATE fenceline_lock AS held
     SET fence = last_fence + 1, last_fence = last_fence + ?3, tokens = ?3, lock_id = ?2, holder = ?4,
         (acquired_at, expires_at) =
           (SELECT clock.time_now, clock.time_now + ?5
              FROM (SELECT {now} AS time_now) AS clock WHERE held.lock_key IS NOT NULL)
   WHERE lock_key = ?1 AND last_fence <= 900000000000000 - ?3
     AND (lock_id IS NULL OR expires_at < {now}))

-- :name make
SELECT fence, tokens, lock_id, holder, acquired_at, expires_at FROM FINAL TABLE (
  INSERT INTO fenceline_lock (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
  SELECT ?1, CAST(?3 AS BIGINT), 1, ?3, ?2, ?4, clock.time_now, clock.time_now + ?5
    FROM (SELECT {now} AS time_now) AS clock)

-- :name extend
-- The expiry is judged once more in the assignment, since the row may have been waited for and not changed. What is over then ends with 0,
-- which tells it from a new end that has passed meanwhile.
SELECT expires_at FROM FINAL TABLE (
  UPDATE fenceline_lock
     SET expires_at = CASE WHEN expires_at >= {now} THEN GREATEST(expires_at, {now} + ?3) ELSE 0 END
   WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at >= {now})
 WHERE expires_at > 0

-- :name release
SELECT lock_id FROM FINAL TABLE (
  UPDATE fenceline_lock
     SET lock_id = CASE WHEN expires_at >= {now} THEN NULL ELSE lock_id END
   WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at >= {now})
 WHERE lock_id IS NULL

-- :name release_after
SELECT lock_id FROM FINAL TABLE (
  UPDATE fenceline_lock
     SET expires_at = CASE WHEN expires_at >= {now} THEN {now} + ?3 ELSE 0 END
   WHERE lock_key = ?1 AND lock_id = ?2 AND expires_at >= {now})
 WHERE expires_at > 0

-- :name columns
-- The names of the catalog are in upper case, as they are whatever the database does to others.
SELECT LOWER(its.COLUMN_NAME) AS what,
       CASE UPPER(its.DATA_TYPE) WHEN 'BINARY VARYING' THEN 'VARBINARY' WHEN 'CHARACTER VARYING' THEN 'VARCHAR'
                          ELSE UPPER(its.DATA_TYPE) END
       || CASE WHEN UPPER(its.DATA_TYPE) LIKE '% VARYING' THEN '(' || its.CHARACTER_MAXIMUM_LENGTH || ')' ELSE '' END
       || CASE its.IS_NULLABLE WHEN 'NO' THEN ' NOT NULL' ELSE '' END AS definition,
       EXISTS (SELECT 1
                 FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS keys
                 JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS used
                      USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME)
                WHERE keys.CONSTRAINT_TYPE = 'PRIMARY KEY' AND used.TABLE_SCHEMA = its.TABLE_SCHEMA
                  AND used.TABLE_NAME = its.TABLE_NAME AND used.COLUMN_NAME = its.COLUMN_NAME) AS keyed
  FROM INFORMATION_SCHEMA.COLUMNS AS its
 WHERE LOWER(its.TABLE_SCHEMA) = LOWER(COALESCE(NULLIF(?1, ''), SCHEMA())) AND LOWER(its.TABLE_NAME) = ?2

-- :name settings
-- A database that was made with another delay lists both.
SELECT DATABASE_PATH() AS path, H2VERSION() AS version,
       (SELECT MAX(setting_value) FROM information_schema.settings WHERE setting_name = 'WRITE_DELAY') AS delay
