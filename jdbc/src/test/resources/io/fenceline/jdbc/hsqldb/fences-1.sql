-- Fenceline's fences on HSQLDB, version 1. What is there already is left as it is.
CREATE TABLE IF NOT EXISTS fenceline_fences (
  resource   VARBINARY(512) NOT NULL PRIMARY KEY,
  lock_key   VARBINARY(512) NOT NULL, -- whose tokens these are
  highest    BIGINT         NOT NULL, -- the greatest token that wrote or claimed; smaller ones are refused
  written    BIGINT         NOT NULL, -- the greatest token that wrote, 0 before the first
  updated_at BIGINT         NOT NULL  -- for people; decides nothing
);
