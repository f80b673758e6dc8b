-- Version 2: the same tables, and functions for what takes the server most work: their statements are planned once for each connection, and run
-- only if they are needed. Where a function is missing or may not be executed, a statement does the same, and processes of both kinds share the
-- tables. The number in a function's name changes with its body, so that what an older or a newer Fenceline calls stays as it is.
-- A caller says which table it means: where names are found along a search path, it may have found the function beside another one.

-- An acquire. The update takes a row in which no lease runs. It waits for its twins, requests under the same lock id that are still on their way to
-- an answer: whoever is refused may rely on it that its id was not granted before it asked. And it goes on only if no other writes at this moment:
-- that turn is tried and not waited for. A row that was changed meanwhile is judged again as changed; both times are read then, from one look at
-- the clock.
CREATE OR REPLACE FUNCTION fenceline_lock_acquire_1(
  locks regclass, asked_key text, asked_id text, asked_tokens int, asked_holder text, asked_millis bigint, patience text,
  OUT granted boolean, OUT lock_id text, OUT fence bigint, OUT tokens int, OUT holder text, OUT acquired_at timestamptz,
  OUT expires_at timestamptz, OUT last_fence bigint, OUT now timestamptz, OUT runs boolean)
LANGUAGE plpgsql AS $$
BEGIN
  IF locks <> 'fenceline_lock'::regclass THEN
    RAISE 'the function is not one of %', locks USING ERRCODE = 'undefined_function';
  END IF;
  UPDATE fenceline_lock AS lock
     SET last_fence = lock.last_fence + asked_tokens, fence = lock.last_fence + 1, tokens = asked_tokens,
         lock_id = asked_id, holder = asked_holder,
         (acquired_at, expires_at) = (
             SELECT clock.now, clock.now + asked_millis * interval '1 millisecond'
               FROM (SELECT clock_timestamp() WHERE lock.lock_key IS NOT NULL) AS clock (now))
   WHERE lock.lock_key = asked_key AND lock.last_fence <= 900000000000000 - asked_tokens
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
           lock.last_fence, clock.now, lock.lock_id IS NOT NULL AND lock.expires_at > clock.now
      INTO lock_id, fence, tokens, holder, acquired_at, expires_at, last_fence, now, runs
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
END $$;

-- Passes a lock on, or frees it and notifies those who wait in other processes if they shall come first. They show themselves by the advisory lock
-- that waiters share; the listener of the process that asks shares it as well, and does not count. Returns no numbers if the lease was over.
CREATE OR REPLACE FUNCTION fenceline_lock_succeed_1(
  locks regclass, asked_key text, last_id text, asked_id text, asked_tokens int, asked_holder text, asked_millis bigint, patience text,
  yielding boolean, waiters bigint, channel text, listener int,
  OUT fence bigint, OUT acquired_at timestamptz, OUT expires_at timestamptz, OUT others int, OUT last_fence bigint)
LANGUAGE plpgsql AS $$
BEGIN
  IF locks <> 'fenceline_lock'::regclass THEN
    RAISE 'the function is not one of %', locks USING ERRCODE = 'undefined_function';
  END IF;
  others := 0;
  IF yielding THEN
    SELECT count(*) INTO others
      FROM pg_locks AS waiter
     WHERE waiter.locktype = 'advisory' AND waiter.objsubid = 1 AND waiter.pid <> listener
       AND waiter.classid = ((waiters >> 32) & 4294967295)::oid AND waiter.objid = (waiters & 4294967295)::oid
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
      PERFORM pg_notify(channel, listener::text);
    END IF;
  END IF;
END $$;
