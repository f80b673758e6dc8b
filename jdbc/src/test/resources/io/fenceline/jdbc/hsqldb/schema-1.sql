-- Fenceline's lock store on HSQLDB, version 1. What is there already is left as it is.

-- One row for each key that was ever granted or raised. It keeps the key's counter and is never deleted.
-- Keys are compared byte by byte. Times are milliseconds since 1970 in UTC.
CREATE TABLE IF NOT EXISTS fenceline_lock (
  lock_key     VARBINARY(512) NOT NULL PRIMARY KEY, -- in UTF-8
  last_fence   BIGINT         NOT NULL,             -- the greatest token spent; only grows
  fence        BIGINT         NOT NULL,             -- the first token of the latest grant, 0 before the first
  tokens       INTEGER        NOT NULL,             -- how many tokens the latest grant has
  lock_id      VARCHAR(22),                         -- who holds the lock; NULL if it was released
  holder       VARCHAR(255)   NOT NULL,
  acquired_at  BIGINT         NOT NULL,
  expires_at   BIGINT         NOT NULL              -- the last millisecond of the lease
);

-- What operators did by hand.
CREATE TABLE IF NOT EXISTS fenceline_lock_audit (
  done_at      BIGINT         NOT NULL,
  actor        VARCHAR(255)   NOT NULL,
  act          VARCHAR(20)    NOT NULL,
  lock_key     VARBINARY(512) NOT NULL,
  fence_before BIGINT         NOT NULL,
  fence_after  BIGINT         NOT NULL
);

-- Which process was refused a lock and asks again; '' if none. A hint: rows may be deleted at any time.
CREATE TABLE IF NOT EXISTS fenceline_lock_waiter (
  lock_key     VARBINARY(512) NOT NULL PRIMARY KEY,
  waiter       VARCHAR(22)    NOT NULL,
  pause        BIGINT         NOT NULL              -- milliseconds
);
