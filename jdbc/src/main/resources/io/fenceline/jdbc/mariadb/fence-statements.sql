-- Fences on MariaDB and MySQL.

-- :name now
-- In microseconds since 1970, in UTC. For people; decides nothing.
TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))

-- :name admitted
lock_key = ?2 AND highest <= ?3

-- :name admitted_once
{admitted} AND written < ?3

-- :name enter_written
-- Assignments are made from left to right. What is left of written keeps the condition as it is.
INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
VALUES (?1, ?2, ?3, 0, {now})
ON DUPLICATE KEY UPDATE
    updated_at = IF({admitted}, GREATEST(updated_at + 1, {now}), updated_at),
    highest = IF({admitted}, ?3, highest),
    written = IF({admitted}, ?3, written)

-- :name raise_written
UPDATE fenceline_fences
   SET updated_at = GREATEST(updated_at + 1, {now}), highest = ?3, written = ?3
 WHERE resource = ?1 AND {admitted}

-- :name enter_written_once
INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
VALUES (?1, ?2, ?3, 0, {now})
ON DUPLICATE KEY UPDATE
    updated_at = IF({admitted_once}, GREATEST(updated_at + 1, {now}), updated_at),
    highest = IF({admitted_once}, ?3, highest),
    written = IF({admitted_once}, ?3, written)

-- :name raise_written_once
UPDATE fenceline_fences
   SET updated_at = GREATEST(updated_at + 1, {now}), highest = ?3, written = ?3
 WHERE resource = ?1 AND {admitted_once}

-- :name enter_claimed
INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
VALUES (?1, ?2, ?3, 0, {now})
ON DUPLICATE KEY UPDATE
    updated_at = IF({admitted}, GREATEST(updated_at + 1, {now}), updated_at),
    highest = IF({admitted}, ?3, highest),
    written = IF({admitted}, written, written)

-- :name raise_claimed
UPDATE fenceline_fences
   SET updated_at = GREATEST(updated_at + 1, {now}), highest = ?3, written = written
 WHERE resource = ?1 AND {admitted}

-- :name count
-- The session keeps the number, for the query that follows.
INSERT INTO fenceline_fences_clock (name, last_number) VALUES (?1, LAST_INSERT_ID(1))
ON DUPLICATE KEY UPDATE
    last_number = IF(last_number < ?2, LAST_INSERT_ID(last_number + 1), last_number + LAST_INSERT_ID(0))

-- :name counted
SELECT LAST_INSERT_ID() FROM DUAL WHERE LAST_INSERT_ID() > 0

-- :name raise_clock
INSERT INTO fenceline_fences_clock (name, last_number) VALUES (?1, ?2)
ON DUPLICATE KEY UPDATE last_number = GREATEST(last_number, ?2)

-- :name collation
SELECT data_type, collation_name FROM information_schema.columns
 WHERE table_schema = ?1 AND table_name = ?2 AND column_name = ?3

-- :name unsafe_engine
-- The engine of a table whose changes a rollback leaves.
SELECT e.engine FROM information_schema.tables AS t JOIN information_schema.engines AS e ON e.engine = t.engine
 WHERE t.table_schema = ?1 AND t.table_name = ?2 AND coalesce(e.transactions, 'NO') <> 'YES'
