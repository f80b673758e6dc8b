-- The tables of SyncGuard 2.x on PostgreSQL, for its processes and Fenceline's together. What is there already is left as it is.

-- One row for each lease that was not released; SyncGuard and Fenceline leave the rows of expired ones until the next grant of the key.
CREATE TABLE IF NOT EXISTS syncguard_locks (
  key            text   NOT NULL PRIMARY KEY,
  lock_id        text   NOT NULL, -- who holds the lock
  expires_at_ms  bigint NOT NULL, -- by the server's clock; the lease counts for 1000 ms longer
  acquired_at_ms bigint NOT NULL,
  fence          text   NOT NULL, -- the token, in 15 digits
  user_key       text   NOT NULL
);

CREATE UNIQUE INDEX IF NOT EXISTS idx_syncguard_locks_lock_id ON syncguard_locks (lock_id);
CREATE INDEX IF NOT EXISTS idx_syncguard_locks_expires ON syncguard_locks (expires_at_ms);

-- One row for each key that was ever granted or raised. A key whose row is gone would start again at token 1: never delete one.
CREATE TABLE IF NOT EXISTS syncguard_fence_counters (
  fence_key text   NOT NULL PRIMARY KEY,
  fence     bigint NOT NULL DEFAULT 0, -- the greatest token spent; only grows
  key_debug text
);
