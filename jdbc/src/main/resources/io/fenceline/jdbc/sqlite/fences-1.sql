-- Fenceline's fences on SQLite, version 1. Times are in milliseconds since 1970. What is there already is left as it is.

-- One row for each resource that was ever written or claimed. It outlives the data and is never deleted.
CREATE TABLE IF NOT EXISTS fenceline_fences (
  resource   TEXT    NOT NULL PRIMARY KEY,
  lock_key   TEXT    NOT NULL, -- whose tokens these are
  highest    INTEGER NOT NULL, -- the greatest token that wrote or claimed; smaller ones are refused
  written    INTEGER NOT NULL, -- the greatest token that wrote, 0 before the first
  updated_at INTEGER NOT NULL  -- for people; decides nothing
) STRICT, WITHOUT ROWID;

-- A resource whose fence is gone would accept every stale holder.
CREATE TRIGGER IF NOT EXISTS fenceline_fences_are_never_deleted BEFORE DELETE ON fenceline_fences
BEGIN
  SELECT RAISE(ABORT, 'a fence keeps stale holders out and is never deleted');
END;

-- What operators did by hand.
CREATE TABLE IF NOT EXISTS fenceline_fences_audit (
  at             INTEGER NOT NULL,
  actor          TEXT    NOT NULL,
  act            TEXT    NOT NULL CHECK (act IN ('raise', 'rebind')),
  resource       TEXT    NOT NULL,
  key_before     TEXT    NOT NULL, -- '' if the resource had no fence
  key_after      TEXT    NOT NULL,
  highest_before INTEGER NOT NULL, -- 0 likewise
  highest_after  INTEGER NOT NULL
) STRICT;
