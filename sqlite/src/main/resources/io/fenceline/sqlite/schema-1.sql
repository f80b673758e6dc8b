-- Fenceline's lock store on SQLite, version 1. Times are in milliseconds.

-- One row for each key that was ever granted or raised. It keeps the key's counter and is never deleted.
CREATE TABLE fenceline_lock (
  lock_key      TEXT    NOT NULL PRIMARY KEY,
  last_fence    INTEGER NOT NULL, -- the greatest token spent; only grows
  fence         INTEGER NOT NULL, -- the first token of the latest grant, 0 before the first
  tokens        INTEGER NOT NULL, -- how many tokens the latest grant has
  lock_id       TEXT,             -- who holds the lock; NULL if it was released
  holder        TEXT    NOT NULL,
  acquired_at   INTEGER NOT NULL, -- since 1970
  expires_at    INTEGER NOT NULL, -- since 1970; decides only if the machine was restarted since
  boot_id       TEXT    NOT NULL, -- the boot of the machine that ends_at_uptime counts from; '' if it cannot tell
  ends_at_uptime INTEGER NOT NULL, -- since that boot; decides when the lease ends
  ttl           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX fenceline_lock_by_id ON fenceline_lock (lock_id) WHERE lock_id IS NOT NULL;

-- A key whose row is gone would start again at token 1, below what resources have seen.
CREATE TRIGGER fenceline_lock_is_never_deleted BEFORE DELETE ON fenceline_lock
BEGIN
  SELECT RAISE(ABORT, 'a lock''s row keeps its token counter and is never deleted');
END;

-- What operators did by hand.
CREATE TABLE fenceline_audit (
  at            INTEGER NOT NULL, -- since 1970
  actor         TEXT    NOT NULL,
  act           TEXT    NOT NULL CHECK (act IN ('raise', 'force-release')),
  lock_key      TEXT    NOT NULL,
  fence_before  INTEGER NOT NULL,
  fence_after   INTEGER NOT NULL
) STRICT;

PRAGMA application_id = 1181052515; -- 'Fenc'
PRAGMA user_version = 1;
