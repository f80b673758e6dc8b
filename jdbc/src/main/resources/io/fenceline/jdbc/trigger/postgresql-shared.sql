-- What all guarded tables of a database share, beside the fences. Made for PostgreSQL 13 or later, in UTF8.

DO $$
DECLARE
  fences_owner  oid := (SELECT relowner FROM pg_class WHERE oid = to_regclass('public.fenceline_fences'));
  fences_schema oid := (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('public.fenceline_fences'));
BEGIN
  -- Others would queue behind a statement that waits for a table. A longer limit is taken from this session only, not from a default.
  IF EXISTS (SELECT FROM pg_settings WHERE name = 'lock_timeout'
                AND (setting = '0' OR setting::bigint > 5000 AND source NOT IN ('session', 'client'))) THEN
    PERFORM set_config('lock_timeout', '5s', true);
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('fenceline schema', 0));
  IF NOT pg_has_role(fences_owner, 'USAGE') THEN
    RAISE 'fenceline: the fences belong to %, and so do the functions of triggers', fences_owner::regrole
      USING ERRCODE = 'ZF006', HINT = 'Guard tables as that role, as a member of it that owns the table, or as a superuser.';
  END IF;
  IF NOT has_schema_privilege(fences_owner, fences_schema, 'USAGE') THEN
    RAISE 'fenceline: the fences belong to %, which may not use their schema', fences_owner::regrole
      USING ERRCODE = 'ZF006', HINT = format('GRANT USAGE ON SCHEMA %s TO %s', fences_schema::regnamespace, fences_owner::regrole);
  END IF;
END $$;

table_of_fences

-- What observing triggers let pass and enforcing ones would have refused. A kind of write may have several rows, which are
-- to be added up: a writer takes one that nobody else has locked, so that observing makes no writer wait.
CREATE TABLE IF NOT EXISTS public.fenceline_observed (
  table_name text        NOT NULL,
  operation  text        NOT NULL,
  reason     text        NOT NULL, -- missing, unbound, malformed, stale or foreign
  presented  bigint,               -- the token of the latest one
  highest    bigint,               -- what the latest one's resource had seen
  seen       bigint      NOT NULL,
  first_at   timestamptz NOT NULL,
  last_at    timestamptz NOT NULL
);

-- How the rows of each table that was ever guarded are named. Fences are found by these names: under other ones they would be
-- forgotten.
CREATE TABLE IF NOT EXISTS public.fenceline_guarded (
  relation regclass NOT NULL PRIMARY KEY,
  prefix   text     NOT NULL,
  key      text[]   NOT NULL
);
