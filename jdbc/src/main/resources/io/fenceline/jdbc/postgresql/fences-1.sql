-- Fenceline's fences on PostgreSQL, version 1. What is there already is left as it is.

-- One row for each resource that was ever written or claimed. It outlives the data and is never deleted.
CREATE TABLE IF NOT EXISTS fenceline_fences (
  resource   text COLLATE "C" NOT NULL PRIMARY KEY,
  lock_key   text COLLATE "C" NOT NULL, -- whose tokens these are
  highest    bigint           NOT NULL, -- the greatest token that wrote or claimed; smaller ones are refused
  written    bigint           NOT NULL, -- the greatest token that wrote, 0 before the first
  updated_at timestamptz      NOT NULL  -- for people; decides nothing
) WITH (fillfactor = 50);

-- What operators did by hand.
CREATE TABLE IF NOT EXISTS fenceline_fences_audit (
  at             timestamptz NOT NULL,
  actor          text        NOT NULL,
  act            text        NOT NULL CHECK (act IN ('raise', 'rebind')),
  resource       text        NOT NULL,
  key_before     text        NOT NULL, -- '' if the resource had no fence
  key_after      text        NOT NULL,
  highest_before bigint      NOT NULL, -- 0 likewise
  highest_after  bigint      NOT NULL
);

-- A resource whose fence is gone would accept every stale holder.
CREATE OR REPLACE FUNCTION fenceline_fences_are_never_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'rows of % keep stale holders out and are never deleted', TG_TABLE_NAME;
END $$;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger
                  WHERE tgrelid = 'fenceline_fences'::regclass AND tgname = 'keeps_fences') THEN
    CREATE TRIGGER keeps_fences BEFORE DELETE OR TRUNCATE ON fenceline_fences
      FOR EACH STATEMENT EXECUTE FUNCTION fenceline_fences_are_never_deleted();
  END IF;
END $$;
