-- Which process was refused a lock and asks again, one row for a key at most. A process that passes the lock on among its threads
-- removes the row and leaves the lock free for the time that it names. A hint: rows may be deleted at any time.
CREATE TABLE IF NOT EXISTS fenceline_waiter (
  lock_key      TEXT    NOT NULL PRIMARY KEY,
  waiter        TEXT    NOT NULL,
  pause         INTEGER NOT NULL -- in milliseconds
) STRICT, WITHOUT ROWID;
