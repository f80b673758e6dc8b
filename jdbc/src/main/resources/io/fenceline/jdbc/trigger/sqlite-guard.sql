-- What all guarded tables of a file share, beside the fences. Made for SQLite 3.38 or later, also where it is not the newest: a trigger that
-- an older SQLite cannot read would keep it from reading the file at all. RAISE takes a text that is put together only
-- from 3.47 on, so refusals are told by json_extract, which fails with the text that it is given.

-- The stamp of the transaction that writes now: insert it first, delete it before COMMIT. Nobody else sees it in between,
-- since one transaction writes at a time. It cannot stay: it points to a row that is never there, which fails the COMMIT.
CREATE TABLE IF NOT EXISTS fenceline_no_stamp_stays (id INT NOT NULL PRIMARY KEY CHECK (id < 0));
CREATE TABLE IF NOT EXISTS fenceline_stamp (
  id       INT     NOT NULL PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  lock_key TEXT    NOT NULL CHECK (lock_key <> ''),
  token    INTEGER NOT NULL CHECK (typeof(token) = 'integer' AND token BETWEEN 1 AND 900000000000000),
  ends     INT     NOT NULL DEFAULT 1 CHECK (ends = 1)
           REFERENCES fenceline_no_stamp_stays (id) DEFERRABLE INITIALLY DEFERRED
);

-- Without foreign keys a forgotten stamp would stay and admit whoever comes next. They cannot be switched within a
-- transaction, so it is enough to look when the stamp is inserted: where they are on, the second row goes with the first.
CREATE TABLE IF NOT EXISTS fenceline_stamp_probe (
  id     INT NOT NULL PRIMARY KEY,
  parent INT REFERENCES fenceline_stamp_probe (id) ON DELETE CASCADE
);
DROP TRIGGER IF EXISTS fenceline_stamp_needs_foreign_keys;
CREATE TRIGGER fenceline_stamp_needs_foreign_keys BEFORE INSERT ON fenceline_stamp
BEGIN
  INSERT INTO fenceline_stamp_probe VALUES (1, NULL), (2, 1);
  DELETE FROM fenceline_stamp_probe WHERE id = 1;
  SELECT RAISE(ABORT, 'fenceline: run PRAGMA foreign_keys = ON before the transaction, so that no stamp can outlive it')
   WHERE EXISTS (SELECT 1 FROM fenceline_stamp_probe);
END;

-- What the stamp's transaction has written. For each grant one transaction writes where that is the rule, also through a guard.
CREATE TABLE IF NOT EXISTS fenceline_stamp_written (resource TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
DROP TRIGGER IF EXISTS fenceline_stamp_ends;
CREATE TRIGGER fenceline_stamp_ends AFTER DELETE ON fenceline_stamp
BEGIN
  DELETE FROM fenceline_stamp_written;
END;
DROP TRIGGER IF EXISTS fenceline_stamp_writes_first;
CREATE TRIGGER fenceline_stamp_writes_first AFTER INSERT ON fenceline_fences
WHEN NEW.written > 0 AND EXISTS (SELECT 1 FROM fenceline_stamp)
BEGIN
  INSERT INTO fenceline_stamp_written SELECT NEW.resource
   WHERE NOT EXISTS (SELECT 1 FROM fenceline_stamp_written WHERE resource = NEW.resource);
END;
DROP TRIGGER IF EXISTS fenceline_stamp_writes;
CREATE TRIGGER fenceline_stamp_writes AFTER UPDATE OF written ON fenceline_fences
WHEN NEW.written <> OLD.written AND EXISTS (SELECT 1 FROM fenceline_stamp)
BEGIN
  INSERT INTO fenceline_stamp_written SELECT NEW.resource
   WHERE NOT EXISTS (SELECT 1 FROM fenceline_stamp_written WHERE resource = NEW.resource);
END;

-- How the rows of each table that was ever guarded are named. Fences are found by these names: under other ones they would be
-- forgotten.
CREATE TABLE IF NOT EXISTS fenceline_guarded (
  table_name TEXT NOT NULL COLLATE NOCASE PRIMARY KEY,
  prefix     TEXT NOT NULL,
  key        TEXT NOT NULL COLLATE NOCASE
);

-- What observing triggers let pass and enforcing ones would have refused.
CREATE TABLE IF NOT EXISTS fenceline_observed (
  table_name TEXT    NOT NULL,
  operation  TEXT    NOT NULL,
  reason     TEXT    NOT NULL, -- missing, malformed, stale or foreign
  presented  INTEGER,          -- the token of the latest one
  highest    INTEGER,          -- what the latest one's resource had seen
  seen       INTEGER NOT NULL,
  first_at   INTEGER NOT NULL, -- milliseconds since 1970
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (table_name, operation, reason)
);

-- A write, and why it is not admitted; NULL if it is.
DROP VIEW IF EXISTS fenceline_fences_write;
CREATE VIEW fenceline_fences_write (resource, once, table_name, operation) AS SELECT NULL, NULL, NULL, NULL WHERE 0;

DROP VIEW IF EXISTS fenceline_fences_observed_write;
CREATE VIEW fenceline_fences_observed_write (resource, once, table_name, operation) AS
  SELECT NULL, NULL, NULL, NULL WHERE 0;

-- Fails a write whose stamp does not admit it, or takes the resource's fence for the stamp. Constraints of the fences decide nothing: in a
-- trigger OR IGNORE and OR FAIL of the statement that fires it apply to them too.
CREATE TRIGGER fenceline_fences_enforce INSTEAD OF INSERT ON fenceline_fences_write
BEGIN
  SELECT json_extract('{}', 'fenceline: missing token: write to '
                            || json_quote(coalesce(NEW.resource, 'a row whose key is null, or a number below 0.0001 or with more than 15 digits'))
                            || '; guards show theirs on connections with PRAGMA foreign_keys = ON')
   WHERE NOT EXISTS (SELECT 1 FROM fenceline_stamp);

  SELECT json_extract('{}', 'fenceline: malformed token: write to '
                            || json_quote(coalesce(NEW.resource, 'a row whose key is null, or a number below 0.0001 or with more than 15 digits')))
   WHERE NEW.resource IS NULL OR length(CAST(NEW.resource AS BLOB)) > 512;

  SELECT json_extract('{}', 'fenceline: foreign token: write to ' || json_quote(NEW.resource)
                            || ' with token ' || printf('%015d', stamp.token) || ' of lock ' || json_quote(stamp.lock_key)
                            || '; the resource belongs to lock ' || json_quote(fence.lock_key))
    FROM fenceline_stamp AS stamp, fenceline_fences AS fence
   WHERE fence.resource = NEW.resource AND fence.lock_key <> stamp.lock_key;

  SELECT json_extract('{}', 'fenceline: stale token: write to ' || json_quote(NEW.resource)
                            || ' with token ' || printf('%015d', stamp.token) || ' of lock ' || json_quote(stamp.lock_key)
                            || '; the resource has seen ' || printf('%015d', fence.highest))
    FROM fenceline_stamp AS stamp, fenceline_fences AS fence
   WHERE fence.resource = NEW.resource
     AND (stamp.token < fence.highest
          OR NEW.once AND stamp.token <= fence.written
             AND NOT EXISTS (SELECT 1 FROM fenceline_stamp_written WHERE resource = NEW.resource));

  INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
  SELECT NEW.resource, lock_key, token, token, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
    FROM fenceline_stamp WHERE true
  ON CONFLICT (resource) DO UPDATE SET
         highest = excluded.highest, written = excluded.written, updated_at = excluded.updated_at;
END;

-- Counts a write whose stamp does not admit it, or takes the resource's fence for the stamp. Fails none.
CREATE TRIGGER fenceline_fences_observe INSTEAD OF INSERT ON fenceline_fences_observed_write
BEGIN
  INSERT INTO fenceline_observed (table_name, operation, reason, presented, highest, seen, first_at, last_at)
  SELECT NEW.table_name, NEW.operation,
         CASE WHEN stamp.token IS NULL THEN 'missing'
              WHEN NEW.resource IS NULL OR length(CAST(NEW.resource AS BLOB)) > 512 THEN 'malformed'
              WHEN fence.lock_key <> stamp.lock_key THEN 'foreign'
              ELSE 'stale' END,
         stamp.token, fence.highest, 1,
         CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER),
         CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
    FROM (SELECT 1) LEFT JOIN fenceline_stamp AS stamp ON true
         LEFT JOIN fenceline_fences AS fence ON fence.resource = NEW.resource
   WHERE stamp.token IS NULL OR fence.lock_key <> stamp.lock_key
      OR NEW.resource IS NULL OR length(CAST(NEW.resource AS BLOB)) > 512
      OR stamp.token < fence.highest
      OR NEW.once AND stamp.token <= fence.written
         AND NOT EXISTS (SELECT 1 FROM fenceline_stamp_written WHERE resource = NEW.resource)
  ON CONFLICT (table_name, operation, reason) DO UPDATE SET
         presented = excluded.presented, highest = excluded.highest, seen = fenceline_observed.seen + 1,
         last_at = excluded.last_at;

  INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
  SELECT NEW.resource, lock_key, token, token, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
    FROM fenceline_stamp WHERE NEW.resource IS NOT NULL AND length(CAST(NEW.resource AS BLOB)) <= 512
  ON CONFLICT (resource) DO UPDATE SET
         highest = excluded.highest, written = excluded.written, updated_at = excluded.updated_at
   WHERE lock_key = excluded.lock_key AND highest <= excluded.highest
     AND NOT (NEW.once AND written >= excluded.highest
              AND NOT EXISTS (SELECT 1 FROM fenceline_stamp_written WHERE resource = NEW.resource));
END;
