-- Fenceline's generation clocks on HSQLDB, version 1. What is there already is left as it is.
CREATE TABLE IF NOT EXISTS fenceline_fences_clock (
  name        VARBINARY(512) NOT NULL PRIMARY KEY,
  last_number BIGINT         NOT NULL -- only grows
);
