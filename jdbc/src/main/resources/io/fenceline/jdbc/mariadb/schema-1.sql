-- Fenceline's lock store on MariaDB (10.5 or later) and MySQL (8.0.29 or later), version 1. What is there already is left as it is.
-- The DELIMITER lines are for the client and for Flyway; with Liquibase, each procedure is a change set that is not split.

-- Procedures keep the mode that they are made in.
SET @fenceline_sql_mode = @@SESSION.sql_mode;
SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';

-- One row for each key that was ever granted or raised. It keeps the key's counter and is never deleted.
-- Keys are compared byte by byte. Times are microseconds since 1970 in UTC, so that no session's time zone matters.
CREATE TABLE IF NOT EXISTS fenceline_lock (
  lock_key     VARBINARY(512) NOT NULL PRIMARY KEY, -- in UTF-8
  last_fence   BIGINT         NOT NULL,             -- the greatest token spent; only grows
  fence        BIGINT         NOT NULL,             -- the first token of the latest grant, 0 before the first
  tokens       INT            NOT NULL,             -- how many tokens the latest grant has
  lock_id      CHAR(22) CHARACTER SET ascii COLLATE ascii_bin, -- who holds the lock; NULL if it was released
  holder       VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
  acquired_at  BIGINT         NOT NULL,
  expires_at   BIGINT         NOT NULL              -- decides when the lease ends, by the server's clock
) ENGINE = InnoDB;

-- What operators did by hand.
CREATE TABLE IF NOT EXISTS fenceline_lock_audit (
  at           BIGINT         NOT NULL,
  actor        VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
  act          VARCHAR(20) CHARACTER SET ascii    NOT NULL, -- raise, force-release
  lock_key     VARBINARY(512) NOT NULL,
  fence_before BIGINT         NOT NULL,
  fence_after  BIGINT         NOT NULL,
  id           BIGINT         NOT NULL AUTO_INCREMENT PRIMARY KEY
) ENGINE = InnoDB;

-- Which process was refused a lock and asks again; '' if none. A process that passes the lock on among its threads empties the row
-- and leaves the lock free for the time that it names. A hint: rows may be deleted at any time.
CREATE TABLE IF NOT EXISTS fenceline_lock_waiter (
  lock_key     VARBINARY(512) NOT NULL PRIMARY KEY,
  waiter       CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  pause        BIGINT         NOT NULL              -- milliseconds
) ENGINE = InnoDB;

-- The clock is the long expression. SYSDATE is read when a row is locked and looked at, where NOW is the time at which the
-- statement began; but SYSDATE is in the session's time zone, which summer time sets back. So the time that has passed
-- since the statement began, less whole half hours, is added to its beginning in UTC.

DELIMITER //

-- One round trip. Each statement commits by itself and locks one row at the most, so that there is nothing to be deadlocked
-- with, and nothing is left locked if the call is killed. A refused attempt only reads.
CREATE PROCEDURE IF NOT EXISTS fenceline_lock_acquire(
  asked_key    VARBINARY(512),
  asked_id     CHAR(22) CHARACTER SET ascii COLLATE ascii_bin,
  asked_tokens INT,
  asked_holder VARCHAR(255) CHARACTER SET utf8mb4,
  asked_millis BIGINT,
  patience     INT)
  SQL SECURITY INVOKER MODIFIES SQL DATA COMMENT 'Fenceline 1'
BEGIN
  DECLARE usual_patience INT DEFAULT @@SESSION.innodb_lock_wait_timeout;
  DECLARE taken BOOLEAN DEFAULT FALSE;
  DECLARE runs BOOLEAN; -- NULL if the key is unknown
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    SET SESSION innodb_lock_wait_timeout = usual_patience;
    RESIGNAL;
  END;

  -- SELECT INTO takes no lock; a subquery in SET or IF would.
  SELECT lock_id IS NOT NULL
         AND expires_at > TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
             + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000
    INTO runs
    FROM fenceline_lock WHERE lock_key = asked_key;

  IF runs IS NULL THEN
    SET SESSION innodb_lock_wait_timeout = patience;
    BEGIN
      -- Another was faster.
      DECLARE CONTINUE HANDLER FOR 1062 BEGIN END;
      INSERT INTO fenceline_lock (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
      SELECT asked_key, asked_tokens, 1, asked_tokens, asked_id, asked_holder, clock.now, clock.now + asked_millis * 1000
        FROM (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
                     + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000
                     AS now) AS clock;
      SET taken = ROW_COUNT() > 0;
    END;
    SET SESSION innodb_lock_wait_timeout = usual_patience;
  ELSEIF NOT runs THEN
    SET SESSION innodb_lock_wait_timeout = patience;
    -- Judged again when the row is locked. The assignments are made from left to right.
    UPDATE fenceline_lock
       SET fence = last_fence + 1, last_fence = last_fence + asked_tokens, tokens = asked_tokens,
           lock_id = asked_id, holder = asked_holder,
           acquired_at = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
               + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000,
           expires_at = acquired_at + asked_millis * 1000
     WHERE lock_key = asked_key AND last_fence <= 900000000000000 - asked_tokens
       AND (lock_id IS NULL
            OR expires_at <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
               + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000);
    SET taken = ROW_COUNT() > 0;
    SET SESSION innodb_lock_wait_timeout = usual_patience;
  END IF;

  SELECT taken, fence, tokens, lock_id, holder, acquired_at, expires_at, last_fence,
         TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
         + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000 AS now
    FROM fenceline_lock WHERE lock_key = asked_key;
END //

CREATE PROCEDURE IF NOT EXISTS fenceline_lock_extend(
  asked_key    VARBINARY(512),
  asked_id     CHAR(22) CHARACTER SET ascii COLLATE ascii_bin,
  asked_millis BIGINT,
  patience     INT)
  SQL SECURITY INVOKER MODIFIES SQL DATA COMMENT 'Fenceline 2'
BEGIN
  DECLARE usual_patience INT DEFAULT @@SESSION.innodb_lock_wait_timeout;
  DECLARE held BOOLEAN DEFAULT FALSE;
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    SET SESSION innodb_lock_wait_timeout = usual_patience;
    RESIGNAL;
  END;

  SELECT TRUE INTO held FROM fenceline_lock WHERE lock_key = asked_key AND lock_id = asked_id;
  IF held THEN
    SET SESSION innodb_lock_wait_timeout = patience;
    UPDATE fenceline_lock
       SET expires_at = GREATEST(expires_at, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
           + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000
           + asked_millis * 1000)
     WHERE lock_key = asked_key AND lock_id = asked_id
       AND expires_at > TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
           + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000;
    SET SESSION innodb_lock_wait_timeout = usual_patience;
  END IF;

  -- Only what was extended still runs.
  SELECT expires_at
    FROM fenceline_lock
   WHERE lock_key = asked_key AND lock_id = asked_id
     AND expires_at > TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
         + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000;
END //

CREATE PROCEDURE IF NOT EXISTS fenceline_lock_release(
  asked_key VARBINARY(512),
  asked_id  CHAR(22) CHARACTER SET ascii COLLATE ascii_bin,
  patience  INT)
  SQL SECURITY INVOKER MODIFIES SQL DATA COMMENT 'Fenceline 1'
BEGIN
  DECLARE usual_patience INT DEFAULT @@SESSION.innodb_lock_wait_timeout;
  DECLARE held BOOLEAN DEFAULT FALSE;
  DECLARE released BOOLEAN DEFAULT FALSE;
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    SET SESSION innodb_lock_wait_timeout = usual_patience;
    RESIGNAL;
  END;

  SELECT TRUE INTO held FROM fenceline_lock WHERE lock_key = asked_key AND lock_id = asked_id;
  IF held THEN
    SET SESSION innodb_lock_wait_timeout = patience;
    UPDATE fenceline_lock
       SET lock_id = NULL
     WHERE lock_key = asked_key AND lock_id = asked_id
       AND expires_at > TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
           + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000;
    SET released = ROW_COUNT() > 0;
    SET SESSION innodb_lock_wait_timeout = usual_patience;
  END IF;

  SELECT released;
END //

CREATE PROCEDURE IF NOT EXISTS fenceline_lock_release_after(
  asked_key    VARBINARY(512),
  asked_id     CHAR(22) CHARACTER SET ascii COLLATE ascii_bin,
  asked_millis BIGINT,
  patience     INT)
  SQL SECURITY INVOKER MODIFIES SQL DATA COMMENT 'Fenceline 1'
BEGIN
  DECLARE usual_patience INT DEFAULT @@SESSION.innodb_lock_wait_timeout;
  DECLARE held BOOLEAN DEFAULT FALSE;
  DECLARE kept BOOLEAN DEFAULT FALSE;
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    SET SESSION innodb_lock_wait_timeout = usual_patience;
    RESIGNAL;
  END;

  SELECT TRUE INTO held FROM fenceline_lock WHERE lock_key = asked_key AND lock_id = asked_id;
  IF held THEN
    SET SESSION innodb_lock_wait_timeout = patience;
    UPDATE fenceline_lock
       SET expires_at = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
           + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000
           + asked_millis * 1000
     WHERE lock_key = asked_key AND lock_id = asked_id
       AND expires_at > TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
           + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000;
    SET kept = ROW_COUNT() > 0;
    SET SESSION innodb_lock_wait_timeout = usual_patience;
  END IF;

  SELECT kept;
END //

-- For operators. The change and its record are one transaction.
CREATE PROCEDURE IF NOT EXISTS fenceline_lock_raise(
  asked_key   VARBINARY(512),
  asked_fence BIGINT,
  asked_actor VARCHAR(255) CHARACTER SET utf8mb4,
  patience    INT)
  SQL SECURITY INVOKER MODIFIES SQL DATA COMMENT 'Fenceline 1'
BEGIN
  DECLARE usual_patience INT DEFAULT @@SESSION.innodb_lock_wait_timeout;
  DECLARE before_it BIGINT;
  DECLARE clock BIGINT;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    SET SESSION innodb_lock_wait_timeout = usual_patience;
    RESIGNAL;
  END;
  SET SESSION innodb_lock_wait_timeout = patience;

  BEGIN
    -- The key is known.
    DECLARE CONTINUE HANDLER FOR 1062 BEGIN END;
    INSERT INTO fenceline_lock (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)
    VALUES (asked_key, 0, 0, 0, NULL, asked_actor, 0, 0);
  END;

  START TRANSACTION;
  SELECT last_fence INTO before_it FROM fenceline_lock WHERE lock_key = asked_key FOR UPDATE;
  IF asked_fence > before_it THEN
    SET clock = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
        + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000;
    UPDATE fenceline_lock SET last_fence = asked_fence WHERE lock_key = asked_key;
    INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
    VALUES (clock, asked_actor, 'raise', asked_key, before_it, asked_fence);
  END IF;
  COMMIT;
  SET SESSION innodb_lock_wait_timeout = usual_patience;

  SELECT GREATEST(before_it, asked_fence) AS last_fence;
END //

CREATE PROCEDURE IF NOT EXISTS fenceline_lock_end(
  asked_key   VARBINARY(512),
  asked_actor VARCHAR(255) CHARACTER SET utf8mb4,
  patience    INT)
  SQL SECURITY INVOKER MODIFIES SQL DATA COMMENT 'Fenceline 1'
BEGIN
  DECLARE usual_patience INT DEFAULT @@SESSION.innodb_lock_wait_timeout;
  DECLARE before_it BIGINT;
  DECLARE first_fence BIGINT;
  DECLARE number_of INT;
  DECLARE its_id CHAR(22) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE its_holder VARCHAR(255) CHARACTER SET utf8mb4;
  DECLARE began BIGINT;
  DECLARE ends BIGINT;
  DECLARE clock BIGINT;
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    SET SESSION innodb_lock_wait_timeout = usual_patience;
    RESIGNAL;
  END;
  SET SESSION innodb_lock_wait_timeout = patience;

  START TRANSACTION;
  SELECT last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at
    INTO before_it, first_fence, number_of, its_id, its_holder, began, ends
    FROM fenceline_lock WHERE lock_key = asked_key FOR UPDATE;
  SET clock = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
      + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000;
  IF its_id IS NOT NULL AND ends > clock AND before_it < 900000000000000 THEN
    UPDATE fenceline_lock SET lock_id = NULL, last_fence = before_it + 1 WHERE lock_key = asked_key;
    INSERT INTO fenceline_lock_audit (at, actor, act, lock_key, fence_before, fence_after)
    VALUES (clock, asked_actor, 'force-release', asked_key, before_it, before_it + 1);
  END IF;
  COMMIT;
  SET SESSION innodb_lock_wait_timeout = usual_patience;

  -- The lease as it was.
  SELECT asked_key AS lock_key, first_fence AS fence, number_of AS tokens, its_id AS lock_id, its_holder AS holder,
         began AS acquired_at, ends AS expires_at, clock AS now, before_it < 900000000000000 AS has_ended
    FROM DUAL
   WHERE its_id IS NOT NULL AND ends > clock;
END //

DELIMITER ;

SET SESSION sql_mode = @fenceline_sql_mode;
