-- What all guarded tables of a database share, beside the fences. Made for PostgreSQL 13 or later, in UTF8.

-- What observing triggers let pass and enforcing ones would have refused. A kind of write may have several rows, which are
-- to be added up: a writer takes one that nobody else has locked, so that observing makes no writer wait.
CREATE TABLE IF NOT EXISTS public.fenceline_observed (
  table_name text        NOT NULL,
  operation  text        NOT NULL,
  reason     text        NOT NULL, -- missing, malformed, stale or foreign
  presented  bigint,               -- the token of the latest one
  highest    bigint,               -- what the latest one's resource had seen
  seen       bigint      NOT NULL,
  first_at   timestamptz NOT NULL,
  last_at    timestamptz NOT NULL
);

-- A key's text, the same for equal keys: 1.0 is 1, and text is in NFC as the names of resources are.
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value anyelement) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE pg_typeof(value)::text
           WHEN 'numeric' THEN trim_scale(value::text::numeric)::text
           ELSE normalize(value::text, NFC)
         END
$$;

-- The part of a row's name, where a row has several keys: a slash inside a key separates nothing.
CREATE OR REPLACE FUNCTION public.fenceline_fences_part(key text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT replace(replace(key, '%', '%25'), '/', '%2F')
$$;

-- Takes a resource's fence for the transaction's stamp, and keeps it locked until the transaction ends. If it cannot be
-- taken, reason says why, and nothing is changed.
-- The stamp is the setting fenceline.stamp: a token, a space and the lock's key. It ends with the transaction.
CREATE OR REPLACE FUNCTION public.fenceline_fences_take(
  wanted text, once boolean,
  OUT reason text, OUT token bigint, OUT token_key text, OUT seen bigint, OUT owner text)
LANGUAGE plpgsql AS $$
DECLARE
  stamp text := coalesce(current_setting('fenceline.stamp', true), '');
  parts text[] := regexp_match(stamp, '^0*([1-9][0-9]{0,14}) (.+)$');
BEGIN
  IF stamp = '' THEN
    reason := 'missing';
    RETURN;
  END IF;
  token := parts[1];
  token_key := normalize(parts[2], NFC);
  IF token IS NULL OR token > 900000000000000 OR wanted IS NULL THEN
    reason := 'malformed';
    RETURN;
  END IF;
  INSERT INTO public.fenceline_fences AS fence (resource, lock_key, highest, written, updated_at)
  VALUES (wanted, token_key, token, token, clock_timestamp())
  ON CONFLICT (resource) DO UPDATE
     SET highest = excluded.highest, written = excluded.written, updated_at = excluded.updated_at
   WHERE fence.lock_key = excluded.lock_key AND fence.highest <= excluded.highest
     AND (NOT once OR fence.written < excluded.highest);
  IF NOT found THEN
    SELECT fence.highest, fence.lock_key INTO seen, owner
      FROM public.fenceline_fences AS fence WHERE fence.resource = wanted;
    reason := CASE WHEN owner = token_key THEN 'stale' ELSE 'foreign' END;
  END IF;
END $$;

-- Fails a write whose stamp does not admit it. Class ZF of SQLSTATE is Fenceline's.
CREATE OR REPLACE FUNCTION public.fenceline_fences_enforce(wanted text, once boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  taken  record;
  writer text;
BEGIN
  SELECT * INTO taken FROM public.fenceline_fences_take(wanted, once);
  writer := format('write to %s with token %s of lock %s',
                   to_json(wanted), lpad(taken.token::text, 15, '0'), to_json(taken.token_key));
  CASE coalesce(taken.reason, '')
    WHEN '' THEN
      RETURN;
    WHEN 'stale' THEN
      RAISE 'fenceline: stale token: %; the resource has seen %', writer, lpad(taken.seen::text, 15, '0')
        USING ERRCODE = 'ZF001', HINT = 'Another holder is at work; stop.';
    WHEN 'foreign' THEN
      RAISE 'fenceline: foreign token: %; the resource belongs to lock %', writer, to_json(taken.owner)
        USING ERRCODE = 'ZF002', HINT = 'Take that lock, or move the resource with ''fenceline guard rebind''.';
    WHEN 'missing' THEN
      RAISE 'fenceline: missing token: write to %', to_json(wanted)
        USING ERRCODE = 'ZF003',
              HINT = 'Run SELECT set_config(''fenceline.stamp'', ''TOKEN LOCKKEY'', true) in the transaction before.';
    ELSE
      RAISE 'fenceline: malformed token: write to %', coalesce(to_json(wanted)::text, '"a row whose key is null"')
        USING ERRCODE = 'ZF004', HINT = 'The setting fenceline.stamp is a token, a space and the lock''s key.';
  END CASE;
END $$;

-- Counts a write whose stamp does not admit it, and never fails one: neither by a refusal nor by a conflict.
CREATE OR REPLACE FUNCTION public.fenceline_fences_observe(wanted text, once boolean, written_table regclass, act text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  taken record;
BEGIN
  SELECT * INTO taken FROM public.fenceline_fences_take(wanted, once);
  IF taken.reason IS NOT NULL THEN
    PERFORM public.fenceline_fences_count(written_table, act, taken.reason, taken.token, taken.seen);
  END IF;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'fenceline: write to % was not observed: %', to_json(wanted), sqlerrm;
END $$;

-- Where a snapshot is kept for a whole transaction, to look for a row to count in could fail the transaction: each write has
-- a row of its own there.
CREATE OR REPLACE FUNCTION public.fenceline_fences_count(
  written_table regclass, act text, why text, token bigint, greatest_seen bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') = 'read committed' THEN
    UPDATE public.fenceline_observed
       SET seen = seen + 1, last_at = clock_timestamp(), presented = token, highest = greatest_seen
     WHERE ctid = (SELECT ctid FROM public.fenceline_observed
                    WHERE table_name = written_table::text AND operation = act AND reason = why
                    LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF found THEN
      RETURN;
    END IF;
  END IF;
  INSERT INTO public.fenceline_observed
  VALUES (written_table::text, act, why, token, greatest_seen, 1, clock_timestamp(), clock_timestamp());
END $$;
