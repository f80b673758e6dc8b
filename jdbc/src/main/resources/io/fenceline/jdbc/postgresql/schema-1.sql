-- Fenceline's lock store on PostgreSQL, version 2. What is there already is left as it is.

-- One row for each key that was ever granted or raised. It keeps the key's counter and is never deleted.
-- No column that changes has an index, and pages have room: updates stay in their page and leave the index alone.
CREATE TABLE IF NOT EXISTS fenceline_lock (
  lock_key     text COLLATE "C" NOT NULL PRIMARY KEY,
  last_fence   bigint           NOT NULL, -- the greatest token spent; only grows
  fence        bigint           NOT NULL, -- the first token of the latest grant, 0 before the first
  tokens       integer          NOT NULL, -- how many tokens the latest grant has
  lock_id      text COLLATE "C",          -- who holds the lock; NULL if it was released
  holder       text             NOT NULL,
  acquired_at  timestamptz      NOT NULL,
  expires_at   timestamptz      NOT NULL  -- decides when the lease ends, by clock_timestamp()
) WITH (fillfactor = 50);

-- What operators did by hand.
CREATE TABLE IF NOT EXISTS fenceline_lock_audit (
  at           timestamptz NOT NULL,
  actor        text        NOT NULL,
  act          text        NOT NULL CHECK (act IN ('raise', 'force-release')),
  lock_key     text        NOT NULL,
  fence_before bigint      NOT NULL,
  fence_after  bigint      NOT NULL
);

-- A key whose row is gone would start again at token 1, below what resources have seen.
CREATE OR REPLACE FUNCTION fenceline_lock_is_never_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'rows of % keep token counters and are never deleted', TG_TABLE_NAME;
END $$;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger
                  WHERE tgrelid = 'fenceline_lock'::regclass AND tgname = 'keeps_token_counters') THEN
    CREATE TRIGGER keeps_token_counters BEFORE DELETE OR TRUNCATE ON fenceline_lock
      FOR EACH STATEMENT EXECUTE FUNCTION fenceline_lock_is_never_deleted();
  END IF;
END $$;
