-- Fenceline's fences on MariaDB (10.5 or later) and MySQL (8.0.29 or later), version 1. What is there already is left as it is.

-- One row for each resource that was ever written or claimed. It outlives the data. No user needs DELETE on it: a resource
-- whose fence is gone would accept every stale holder.
-- Names are in UTF-8 and compared byte by byte. Times are microseconds since 1970 in UTC.
CREATE TABLE IF NOT EXISTS fenceline_fences (
  resource   VARBINARY(512) NOT NULL PRIMARY KEY,
  lock_key   VARBINARY(512) NOT NULL, -- whose tokens these are
  highest    BIGINT         NOT NULL, -- the greatest token that wrote or claimed; smaller ones are refused
  written    BIGINT         NOT NULL, -- the greatest token that wrote, 0 before the first
  updated_at BIGINT         NOT NULL  -- for people; decides nothing
) ENGINE = InnoDB;

-- What operators did by hand.
CREATE TABLE IF NOT EXISTS fenceline_fences_audit (
  at             BIGINT         NOT NULL,
  actor          VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
  act            VARCHAR(20) CHARACTER SET ascii    NOT NULL, -- raise, rebind
  resource       VARBINARY(512) NOT NULL,
  key_before     VARBINARY(512) NOT NULL, -- empty if the resource had no fence
  key_after      VARBINARY(512) NOT NULL,
  highest_before BIGINT         NOT NULL, -- 0 likewise
  highest_after  BIGINT         NOT NULL,
  id             BIGINT         NOT NULL AUTO_INCREMENT PRIMARY KEY
) ENGINE = InnoDB;
