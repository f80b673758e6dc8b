-- Triggers on SQLite: their stamp, their tables, their counts.

-- :name set_stamp
-- OR REPLACE would delete the row that is there, which ends its stamp where recursive_triggers is on.
INSERT INTO fenceline_stamp (token, lock_key) VALUES (?1, ?2)
ON CONFLICT (id) DO UPDATE SET token = excluded.token, lock_key = excluded.lock_key

-- :name clear_stamp
DELETE FROM fenceline_stamp

-- :name takes_stamps
SELECT 1 FROM sqlite_schema, pragma_foreign_keys
 WHERE name = 'fenceline_stamp' AND type = 'table' AND foreign_keys

-- :name stamp
SELECT token, lock_key FROM fenceline_stamp

-- :name written
INSERT OR IGNORE INTO fenceline_stamp_written (resource) VALUES (?1)

-- :name columns
SELECT name FROM pragma_table_xinfo(?1)

-- :name is_observed
SELECT 1 FROM sqlite_schema WHERE name = 'fenceline_observed'

-- :name observed
SELECT table_name, operation, reason, presented, highest, seen, first_at, last_at
  FROM fenceline_observed ORDER BY table_name, operation, reason
