-- Version 2: the same tables with a queue of waiters, and functions for what takes the server most work: their statements are planned once for each
-- connection, and run only if they are needed. Where a function is missing or may not be executed, a statement does the same without the queue, and
-- processes of both kinds share the tables. The number in a function's name changes with its body, so that what an older or a newer Fenceline calls
-- stays as it is. A caller says which table it means: where names are found along a search path, it may have found the function beside another one.

-- The queue, NULL if nobody is in it. Of each waiter it has the lock id, the ttl in milliseconds, the number of tokens, the server's process that its
-- own process listens with, the end of its wait in milliseconds since 1970, and the holder. To add the column takes a moment in which nobody else
-- uses the table; if there is none, the next installation tries again.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute
                  WHERE attrelid = 'fenceline_lock'::regclass AND attname = 'waiters' AND NOT attisdropped) THEN
    PERFORM set_config('lock_timeout', '1s', true);
    ALTER TABLE fenceline_lock ADD COLUMN waiters text[];
  END IF;
EXCEPTION WHEN lock_not_available OR insufficient_privilege THEN
  RAISE WARNING 'fenceline_lock has no column for waiters yet: %', SQLERRM;
END $$;

-- Grants a lock to the first of its waiters that is still there, and notifies it on the channel that the number of a signal stands for. The caller has
-- locked the row, and the lock is free or its lease is ended by that. A waiter is there if it asks at this moment, or while the process that it listens
-- with holds its own advisory lock. Returns nothing, and changes nothing, if nobody is there.
CREATE OR REPLACE FUNCTION fenceline_lock_hand_over_1(
  locks regclass, asked_key text, places text[], last bigint, asking text, signal bigint, OUT granted_id text, OUT ends timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  place text[];
  begins timestamptz;
BEGIN
  IF locks <> 'fenceline_lock'::regclass THEN
    RAISE 'the function is not one of %', locks USING ERRCODE = 'undefined_function';
  END IF;
  FOR number IN 1..coalesce(cardinality(places), 0) LOOP
    place := regexp_match(places[number], '^(\S+) (\d+) (\d+) (\d+) (\d+) (.+)$');
    begins := clock_timestamp();
    CONTINUE WHEN place IS NULL OR last > 900000000000000 - place[3]::int
      OR place[1] <> asking AND (
        extract(epoch FROM begins) * 1000 > place[5]::bigint
        OR pg_try_advisory_xact_lock_shared(1179602499, place[4]::int));
    granted_id := place[1];
    ends := begins + place[2]::bigint * interval '1 millisecond';
    UPDATE fenceline_lock AS lock
       SET last_fence = last + place[3]::int, fence = last + 1, tokens = place[3]::int, lock_id = granted_id, holder = place[6],
           acquired_at = begins, expires_at = ends, waiters = nullif(places[number + 1:], '{}')
     WHERE lock.lock_key = asked_key;
    IF granted_id <> asking THEN
      PERFORM pg_notify(
          'fenceline_' || to_hex(signal),
          concat_ws(' ', granted_id, last + 1, place[3],
              to_char(begins AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
              to_char(ends AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), place[6]));
    END IF;
    RETURN;
  END LOOP;
END $$;

-- Puts a waiter at the end of a queue that has room; where it is in the queue already, its place stays.
CREATE OR REPLACE FUNCTION fenceline_lock_enqueue_1(
  places text[], waiter text, millis bigint, tokens int, listener int, wait bigint, holder text)
RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  place text := concat_ws(' ', waiter, millis, tokens, listener, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + wait, holder);
BEGIN
  FOR number IN 1..coalesce(cardinality(places), 0) LOOP
    IF starts_with(places[number], waiter || ' ') THEN
      places[number] := place;
      RETURN places;
    END IF;
  END LOOP;
  RETURN CASE WHEN coalesce(cardinality(places), 0) < 64 THEN places || place ELSE places END;
END $$;

-- An acquire. The update takes a row in which no lease runs and for which nobody waits. It waits for its twins, requests under the same lock id that are
-- still on their way to an answer: whoever is refused may rely on it that its id was not granted before it asked. And it goes on only if no other writes
-- at this moment: that turn is tried and not waited for. A row that was changed meanwhile is judged again as changed; both times are read then, from
-- one look at the clock.
-- Who waits, or finds waiters of a free lock, locks the row and judges by its latest state: waiters go first, a place is taken in the state that the
-- refusal tells of, and a hand-over to the asker that is still on its way to the disk is waited for.
CREATE OR REPLACE FUNCTION fenceline_lock_acquire_1(
  locks regclass, asked_key text, asked_id text, asked_tokens int, asked_holder text, asked_millis bigint, patience text,
  asked_wait bigint, listener int, signal bigint,
  OUT granted boolean, OUT lock_id text, OUT fence bigint, OUT tokens int, OUT holder text, OUT acquired_at timestamptz,
  OUT expires_at timestamptz, OUT last_fence bigint, OUT now timestamptz, OUT runs boolean, OUT queued boolean)
LANGUAGE plpgsql AS $$
DECLARE
  state fenceline_lock%ROWTYPE;
  places text[];
BEGIN
  IF locks <> 'fenceline_lock'::regclass THEN
    RAISE 'the function is not one of %', locks USING ERRCODE = 'undefined_function';
  END IF;
  queued := false;
  UPDATE fenceline_lock AS lock
     SET last_fence = lock.last_fence + asked_tokens, fence = lock.last_fence + 1, tokens = asked_tokens,
         lock_id = asked_id, holder = asked_holder,
         (acquired_at, expires_at) = (
             SELECT clock.now, clock.now + asked_millis * interval '1 millisecond'
               FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
   WHERE lock.lock_key = asked_key AND lock.waiters IS NULL AND lock.last_fence <= 900000000000000 - asked_tokens
     AND CASE WHEN lock.lock_id IS NULL OR lock.expires_at <= clock_timestamp()
              THEN set_config('lock_timeout', patience, true) IS NOT NULL
                   AND pg_advisory_xact_lock(
                           hashtextextended(asked_id, - 'fenceline_lock'::regclass::oid::bigint)) IS NOT NULL
                   AND pg_try_advisory_xact_lock(
                           hashtextextended(asked_key, 'fenceline_lock'::regclass::oid::bigint))
         END
  RETURNING lock.fence, lock.acquired_at, lock.expires_at INTO fence, acquired_at, expires_at;
  granted := FOUND;
  FOR look IN 1..2 LOOP
    EXIT WHEN granted;
    SELECT lock.lock_id, lock.fence, lock.tokens, lock.holder, lock.acquired_at, lock.expires_at,
           lock.last_fence, clock.now, lock.lock_id IS NOT NULL AND lock.expires_at > clock.now, lock.waiters
      INTO lock_id, fence, tokens, holder, acquired_at, expires_at, last_fence, now, runs, places
      FROM fenceline_lock AS lock, (SELECT clock_timestamp()) AS clock (now)
     WHERE lock.lock_key = asked_key;
    EXIT WHEN FOUND;
    -- The key is unknown. If another is faster, its row is read.
    PERFORM set_config('lock_timeout', patience, true);
    PERFORM pg_advisory_xact_lock(hashtextextended(asked_id, - 'fenceline_lock'::regclass::oid::bigint));
    INSERT INTO fenceline_lock AS lock
           (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
    SELECT asked_key, asked_tokens, 1, asked_tokens, asked_id, asked_holder,
           clock.now, clock.now + asked_millis * interval '1 millisecond'
      FROM (SELECT clock_timestamp()) AS clock (now)
    ON CONFLICT (lock_key) DO NOTHING
    RETURNING lock.fence, lock.acquired_at, lock.expires_at INTO fence, acquired_at, expires_at;
    granted := FOUND;
  END LOOP;
  IF granted OR runs AND lock_id = asked_id
     OR listener = 0 AND (places IS NULL OR runs AND position(asked_id IN array_to_string(places, ' ')) = 0) THEN
    RETURN;
  END IF;

  PERFORM set_config('lock_timeout', patience, true);
  SELECT * INTO state FROM fenceline_lock AS lock WHERE lock.lock_key = asked_key FOR NO KEY UPDATE;
  now := clock_timestamp();
  IF state.lock_id IS NOT NULL AND state.expires_at > now THEN
    PERFORM set_config('synchronous_commit', 'off', true); -- nothing is granted
  ELSE
    IF (SELECT granted_id FROM fenceline_lock_hand_over_1(locks, asked_key, state.waiters, state.last_fence, asked_id, signal)) IS NULL THEN
      UPDATE fenceline_lock AS lock
         SET last_fence = lock.last_fence + asked_tokens, fence = lock.last_fence + 1, tokens = asked_tokens,
             lock_id = asked_id, holder = asked_holder,
             acquired_at = now, expires_at = now + asked_millis * interval '1 millisecond', waiters = NULL
       WHERE lock.lock_key = asked_key AND lock.last_fence <= 900000000000000 - asked_tokens;
    END IF;
    SELECT * INTO state FROM fenceline_lock AS lock WHERE lock.lock_key = asked_key;
    now := clock_timestamp();
  END IF;
  IF listener <> 0 AND state.lock_id <> asked_id AND state.expires_at > now THEN
    UPDATE fenceline_lock AS lock
       SET waiters = fenceline_lock_enqueue_1(
               lock.waiters, asked_id, asked_millis, asked_tokens, listener, asked_wait, asked_holder)
     WHERE lock.lock_key = asked_key
    RETURNING lock.waiters INTO state.waiters;
  END IF;
  lock_id := state.lock_id;
  fence := state.fence;
  tokens := state.tokens;
  holder := state.holder;
  acquired_at := state.acquired_at;
  expires_at := state.expires_at;
  last_fence := state.last_fence;
  runs := lock_id IS NOT NULL AND expires_at > now;
  queued := position(asked_id IN array_to_string(state.waiters, ' ')) > 0;
END $$;

-- A release for a lock that others may wait for: grants it to the first of them, or frees it. A waiter that gives up leaves the queue.
CREATE OR REPLACE FUNCTION fenceline_lock_release_1(locks regclass, asked_key text, asked_id text, patience text, signal bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  state fenceline_lock%ROWTYPE;
  places text[];
BEGIN
  IF locks <> 'fenceline_lock'::regclass THEN
    RAISE 'the function is not one of %', locks USING ERRCODE = 'undefined_function';
  END IF;
  PERFORM set_config('lock_timeout', patience, true);
  SELECT * INTO state FROM fenceline_lock AS lock WHERE lock.lock_key = asked_key FOR NO KEY UPDATE;
  places := nullif(ARRAY(
      SELECT known FROM unnest(state.waiters) WITH ORDINALITY AS queue (known, number)
       WHERE NOT starts_with(known, asked_id || ' ') ORDER BY number), '{}');
  IF state.lock_id = asked_id AND state.expires_at > clock_timestamp() THEN
    IF (SELECT granted_id FROM fenceline_lock_hand_over_1(locks, asked_key, places, state.last_fence, '', signal)) IS NULL THEN
      PERFORM set_config('synchronous_commit', 'off', true);
      UPDATE fenceline_lock AS lock SET lock_id = NULL, waiters = NULL WHERE lock.lock_key = asked_key;
      IF NOT pg_try_advisory_xact_lock(signal) THEN
        PERFORM pg_notify('fenceline_' || to_hex(signal), '');
      END IF;
    END IF;
    RETURN true;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  IF places IS DISTINCT FROM state.waiters THEN
    UPDATE fenceline_lock AS lock SET waiters = places WHERE lock.lock_key = asked_key;
  END IF;
  RETURN false;
END $$;

-- Passes a lock on within a process. If others shall come first, the first in the queue gets it and the asker a place; else, if some listen who are
-- not in the queue, it is freed and they are notified. They show themselves by the advisory lock that waiters share; the listener of the
-- process that asks shares it as well, and does not count. Returns no numbers if the lease was over.
CREATE OR REPLACE FUNCTION fenceline_lock_succeed_1(
  locks regclass, asked_key text, last_id text, asked_id text, asked_tokens int, asked_holder text, asked_millis bigint, patience text,
  yielding boolean, asked_wait bigint, listener int, signal bigint,
  OUT fence bigint, OUT acquired_at timestamptz, OUT expires_at timestamptz, OUT others int, OUT last_fence bigint, OUT queued boolean)
LANGUAGE plpgsql AS $$
DECLARE
  state fenceline_lock%ROWTYPE;
BEGIN
  IF locks <> 'fenceline_lock'::regclass THEN
    RAISE 'the function is not one of %', locks USING ERRCODE = 'undefined_function';
  END IF;
  others := 0;
  queued := false;
  IF yielding THEN
    PERFORM set_config('lock_timeout', patience, true);
    SELECT * INTO state FROM fenceline_lock AS lock WHERE lock.lock_key = asked_key FOR NO KEY UPDATE;
    IF state.lock_id = last_id AND state.expires_at > clock_timestamp() AND state.last_fence <= 900000000000000 - asked_tokens THEN
      SELECT ends INTO expires_at
        FROM fenceline_lock_hand_over_1(locks, asked_key, state.waiters, state.last_fence, '', signal);
      IF expires_at IS NOT NULL THEN
        IF asked_wait > 0 THEN
          UPDATE fenceline_lock AS lock
             SET waiters = fenceline_lock_enqueue_1(
                     lock.waiters, asked_id, asked_millis, asked_tokens, listener, asked_wait, asked_holder)
           WHERE lock.lock_key = asked_key
          RETURNING position(asked_id IN array_to_string(lock.waiters, ' ')) > 0 INTO queued;
        END IF;
        fence := 0;
        acquired_at := clock_timestamp();
        last_fence := state.last_fence;
        RETURN;
      END IF;
    END IF;
    SELECT count(*) INTO others
      FROM pg_locks AS waiter
     WHERE waiter.locktype = 'advisory' AND waiter.objsubid = 1 AND waiter.pid <> listener
       AND waiter.classid = ((signal >> 32) & 4294967295)::oid AND waiter.objid = (signal & 4294967295)::oid
       AND waiter.database = (SELECT oid FROM pg_database WHERE datname = current_database());
  END IF;
  IF others = 0 THEN
    UPDATE fenceline_lock AS lock
       SET last_fence = lock.last_fence + asked_tokens, fence = lock.last_fence + 1, tokens = asked_tokens,
           lock_id = asked_id, holder = asked_holder,
           (acquired_at, expires_at) = (
               SELECT clock.now, clock.now + asked_millis * interval '1 millisecond'
                 FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
     WHERE lock.lock_key = asked_key AND lock.lock_id = last_id AND lock.last_fence <= 900000000000000 - asked_tokens
       AND CASE WHEN lock.expires_at > clock_timestamp()
                THEN set_config('lock_timeout', patience, true) IS NOT NULL
           END
    RETURNING lock.fence, lock.acquired_at, lock.expires_at, lock.last_fence INTO fence, acquired_at, expires_at, last_fence;
  ELSE
    UPDATE fenceline_lock AS lock
       SET lock_id = NULL
     WHERE lock.lock_key = asked_key AND lock.lock_id = last_id AND lock.last_fence <= 900000000000000 - asked_tokens
       AND CASE WHEN lock.expires_at > clock_timestamp()
                THEN set_config('lock_timeout', patience, true) IS NOT NULL
                     AND set_config('synchronous_commit', 'off', true) IS NOT NULL
           END
    RETURNING 0, lock.last_fence INTO fence, last_fence;
    IF FOUND THEN
      PERFORM pg_notify('fenceline_' || to_hex(signal), listener::text);
    END IF;
  END IF;
END $$;
