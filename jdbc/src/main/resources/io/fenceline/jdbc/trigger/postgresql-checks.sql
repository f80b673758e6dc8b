-- What a writer and the triggers call.

-- Shows a stamp to the triggers, until the transaction ends. The setting fenceline.stamp holds the transaction's id, a colon, the
-- token, a space and the lock's key. A setting that outlives its transaction names another one and admits nobody.
CREATE OR REPLACE FUNCTION public.fenceline_stamp(token bigint, lock_key text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  IF (token BETWEEN 1 AND 900000000000000 AND lock_key <> '') IS NOT TRUE THEN
    RAISE 'fenceline: a stamp is a token from 1 to 900000000000000 and the lock''s key' USING ERRCODE = 'ZF004';
  END IF;
  RETURN set_config('fenceline.stamp', pg_current_xact_id()::text || ':' || token || ' ' || lock_key, true);
END $$;

-- Whether the running transaction wrote a row that it sees and has locked, given the row's xmin. A subtransaction has an id of its own, greater
-- than the transaction's; it is in progress as the transaction is, and nobody else's row is that can be seen. An xmin has the last 32 bits of
-- an id, and its distance is counted from this transaction's: age() counts from what came when it was first asked, which may be earlier. A row
-- that was frozen keeps its xmin, which can be that of an id that nobody has yet.
CREATE OR REPLACE FUNCTION public.fenceline_fences_own(written_by xid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  own      bigint := pg_current_xact_id()::text::bigint;
  distance bigint := (written_by::text::bigint - own % 4294967296 + 4294967296) % 4294967296;
BEGIN
  RETURN distance = 0 OR distance < 2147483648 AND pg_xact_status((own + distance)::text::xid8) = 'in progress';
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN false;
END $$;

-- Takes a resource's fence for the transaction's stamp, and keeps it locked until the transaction ends. If it cannot be
-- taken, reason says why, and nothing is changed. Once means: for each grant the writes of one transaction.
CREATE OR REPLACE FUNCTION public.fenceline_fences_take(
  wanted text, once boolean,
  OUT reason text, OUT token bigint, OUT token_key text, OUT seen bigint, OUT owner text)
LANGUAGE plpgsql AS $$
DECLARE
  stamp text := coalesce(current_setting('fenceline.stamp', true), '');
  parts text[] := regexp_match(stamp, '^(?:([0-9]{1,20}):)?0*([1-9][0-9]{0,14}) (.+)$');
BEGIN
  IF stamp = '' THEN
    reason := 'missing';
    RETURN;
  END IF;
  token := parts[2];
  token_key := normalize(parts[3], NFC);
  IF token IS NULL OR token > 900000000000000 OR wanted IS NULL OR octet_length(wanted) > 512 THEN
    reason := 'malformed';
    RETURN;
  END IF;
  IF parts[1] IS DISTINCT FROM pg_current_xact_id()::text THEN
    reason := 'unbound';
    RETURN;
  END IF;
  INSERT INTO public.fenceline_fences AS fence (resource, lock_key, highest, written, updated_at)
  VALUES (wanted, token_key, token, token, clock_timestamp())
  ON CONFLICT (resource) DO UPDATE
     SET highest = excluded.highest, written = excluded.written, updated_at = excluded.updated_at
   WHERE fence.lock_key = excluded.lock_key AND fence.highest <= excluded.highest
     AND (NOT once OR fence.written < excluded.highest OR public.fenceline_fences_own(fence.xmin));
  IF NOT found THEN
    SELECT fence.highest, fence.lock_key INTO seen, owner
      FROM public.fenceline_fences AS fence WHERE fence.resource = wanted;
    reason := CASE WHEN owner = token_key THEN 'stale' ELSE 'foreign' END;
  END IF;
  -- A writer that is stopped in its transaction would keep the fence from all later holders for as long as it is stopped.
  IF current_setting('idle_in_transaction_session_timeout') = '0' THEN
    PERFORM set_config('idle_in_transaction_session_timeout', '10s', true);
  END IF;
END $$;

-- Fails a write whose stamp does not admit it. Class ZF of SQLSTATE is Fenceline's.
CREATE OR REPLACE FUNCTION public.fenceline_fences_enforce(wanted text, once boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  taken  record;
  row_name text := coalesce(to_json(wanted)::text, '"a row whose key is null"');
  writer text;
BEGIN
  SELECT * INTO taken FROM public.fenceline_fences_take(wanted, once);
  writer := format('write to %s with token %s of lock %s',
                   row_name, lpad(taken.token::text, 15, '0'), to_json(taken.token_key));
  CASE coalesce(taken.reason, '')
    WHEN '' THEN
      RETURN;
    WHEN 'stale' THEN
      RAISE 'fenceline: stale token: %; the resource has seen %', writer, lpad(taken.seen::text, 15, '0')
        USING ERRCODE = 'ZF001', HINT = 'Another holder is at work; stop.';
    WHEN 'foreign' THEN
      RAISE 'fenceline: foreign token: %; the resource belongs to lock %', writer, to_json(taken.owner)
        USING ERRCODE = 'ZF002', HINT = 'Take that lock, and show its stamp: a transaction has one at a time. Or move the resource with ''fenceline guard rebind''.';
    WHEN 'missing' THEN
      RAISE 'fenceline: missing token: write to %', row_name
        USING ERRCODE = 'ZF003',
              HINT = 'Run SELECT public.fenceline_stamp(TOKEN, ''LOCKKEY'') in the same transaction before.';
    WHEN 'unbound' THEN
      RAISE 'fenceline: unbound token: write to %', row_name
        USING ERRCODE = 'ZF005',
              DETAIL = 'The setting fenceline.stamp was not made by this transaction.',
              HINT = 'Run SELECT public.fenceline_stamp(TOKEN, ''LOCKKEY'') in the same transaction before.';
    ELSE
      RAISE 'fenceline: malformed token: write to %', row_name
        USING ERRCODE = 'ZF004',
              HINT = 'Run SELECT public.fenceline_stamp(TOKEN, ''LOCKKEY'') before. A row''s name has 512 bytes at most.';
  END CASE;
END $$;

-- Counts a write whose stamp does not admit it, and never fails one: neither by a refusal nor by a conflict over a row. At SERIALIZABLE what it reads
-- and writes counts for the transaction.
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
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET quote_all_identifiers = off AS $$
DECLARE
  -- Where this transaction counted last, by kind. To look again, as the planner would in a small table, takes as long as it has counted often: each
  -- time leaves a version of the row behind.
  places jsonb := coalesce(nullif(current_setting('fenceline.observed', true), ''), '{}');
  kind   text := concat_ws(' ', written_table::oid, act, why);
  place  tid := places ->> kind;
BEGIN
  IF current_setting('transaction_isolation') = 'read committed' THEN
    UPDATE public.fenceline_observed
       SET seen = seen + 1, last_at = clock_timestamp(), presented = token, highest = greatest_seen
     WHERE ctid = coalesce(place, (SELECT ctid FROM public.fenceline_observed
                                    WHERE table_name = written_table::text AND operation = act AND reason = why
                                    LIMIT 1 FOR UPDATE SKIP LOCKED))
       AND table_name = written_table::text AND operation = act AND reason = why
    RETURNING ctid INTO place;
    IF found THEN
      PERFORM set_config('fenceline.observed', (places || jsonb_build_object(kind, place))::text, true);
      RETURN;
    END IF;
  END IF;
  INSERT INTO public.fenceline_observed
  VALUES (written_table::text, act, why, token, greatest_seen, 1, clock_timestamp(), clock_timestamp());
END $$;

CREATE OR REPLACE FUNCTION public.fenceline_fences_observe_truncate(truncated regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM public.fenceline_fences_count(truncated, 'TRUNCATE', 'missing', NULL, NULL);
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'fenceline: TRUNCATE of % was not observed: %', truncated, sqlerrm;
END $$;

CREATE OR REPLACE FUNCTION public.fenceline_fences_refuse_truncate(truncated regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'fenceline: missing token: write to %', to_json('all of ' || truncated)
    USING ERRCODE = 'ZF003', HINT = 'TRUNCATE looks at no row; use DELETE.';
END $$;
