-- Locks in a table on HSQLDB.

-- :name now
-- A statement that waited for others runs again from the start, with the time of then.
UNIX_MILLIS()

-- :name take
UPDATE fenceline_lock
   SET fence = last_fence + 1, last_fence = last_fence + ?3, tokens = ?3, lock_id = ?2, holder = ?4,
       acquired_at = {now}, expires_at = {now} + ?5
 WHERE lock_key = ?1 AND last_fence <= 900000000000000 - ?3 AND (lock_id IS NULL OR expires_at < {now})
GENERATED KEYS (FENCE, TOKENS, LOCK_ID, HOLDER, ACQUIRED_AT, EXPIRES_AT)

-- :name make
INSERT INTO fenceline_lock (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
VALUES (?1, ?3, 1, ?3, ?2, ?4, {now}, {now} + ?5)
GENERATED KEYS (FENCE, TOKENS, LOCK_ID, HOLDER, ACQUIRED_AT, EXPIRES_AT)

-- :name extend
UPDATE fenceline_lock AS held SET expires_at = GREATEST(expires_at, {now} + ?3)
 WHERE lock_key = ?1 AND lock_id = ?2 AND {runs}
GENERATED KEYS (EXPIRES_AT)

-- :name release
UPDATE fenceline_lock AS held SET lock_id = NULL
 WHERE lock_key = ?1 AND lock_id = ?2 AND {runs}
GENERATED KEYS (LOCK_KEY)

-- :name release_after
UPDATE fenceline_lock AS held SET expires_at = {now} + ?3
 WHERE lock_key = ?1 AND lock_id = ?2 AND {runs}
GENERATED KEYS (LOCK_KEY)

-- :name record
-- AT is reserved.
INSERT INTO fenceline_lock_audit (done_at, actor, act, lock_key, fence_before, fence_after)
VALUES ({now}, ?2, ?3, ?1, ?4, ?5)

-- :name columns
SELECT LOWER(its.COLUMN_NAME) AS what,
       CASE its.DATA_TYPE WHEN 'CHARACTER VARYING' THEN 'VARCHAR' WHEN 'BINARY LARGE OBJECT' THEN 'BLOB'
                          ELSE its.DATA_TYPE END
       || CASE WHEN its.DATA_TYPE IN ('VARBINARY', 'CHARACTER VARYING')
               THEN '(' || its.CHARACTER_MAXIMUM_LENGTH || ')' ELSE '' END
       || CASE its.IS_NULLABLE WHEN 'NO' THEN ' NOT NULL' ELSE '' END AS definition,
       EXISTS (SELECT 1
                 FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS keys
                 JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS used
                      USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME)
                WHERE keys.CONSTRAINT_TYPE = 'PRIMARY KEY' AND used.TABLE_SCHEMA = its.TABLE_SCHEMA
                  AND used.TABLE_NAME = its.TABLE_NAME AND used.COLUMN_NAME = its.COLUMN_NAME) AS keyed
  FROM INFORMATION_SCHEMA.COLUMNS AS its
 WHERE LOWER(its.TABLE_SCHEMA) = LOWER(COALESCE(NULLIF(?1, ''), CURRENT_SCHEMA)) AND LOWER(its.TABLE_NAME) = ?2
