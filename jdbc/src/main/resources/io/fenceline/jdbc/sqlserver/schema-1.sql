-- Fenceline's lock store on SQL Server (2016 or later), version 1. What is there already is left as it is.

-- One row for each key that was ever granted or raised. It keeps the key's counter and is never deleted.
-- Keys are compared byte by byte. Times are microseconds since 1970 in UTC.
IF OBJECT_ID(N'fenceline_lock') IS NULL
CREATE TABLE fenceline_lock (
  lock_key     VARBINARY(512) NOT NULL PRIMARY KEY, -- in UTF-8
  last_fence   BIGINT         NOT NULL,             -- the greatest token spent; only grows
  fence        BIGINT         NOT NULL,             -- the first token of the latest grant, 0 before the first
  tokens       INT            NOT NULL,             -- how many tokens the latest grant has
  lock_id      VARCHAR(22) COLLATE Latin1_General_BIN2 NULL, -- who holds the lock; NULL if it was released
  holder       NVARCHAR(255)  NOT NULL,
  acquired_at  BIGINT         NOT NULL,
  expires_at   BIGINT         NOT NULL              -- decides when the lease ends, by SYSUTCDATETIME()
);

-- What operators did by hand.
IF OBJECT_ID(N'fenceline_lock_audit') IS NULL
CREATE TABLE fenceline_lock_audit (
  at           BIGINT         NOT NULL,
  actor        NVARCHAR(255)  NOT NULL,
  act          VARCHAR(20)    NOT NULL, -- raise, force-release
  lock_key     VARBINARY(512) NOT NULL,
  fence_before BIGINT         NOT NULL,
  fence_after  BIGINT         NOT NULL
);
