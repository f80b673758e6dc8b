-- Fenceline's generation clocks on SQL Server, version 1. What is there already is left as it is.
IF OBJECT_ID(N'fenceline_fences_clock') IS NULL
CREATE TABLE fenceline_fences_clock (
  name        VARBINARY(512) NOT NULL PRIMARY KEY,
  last_number BIGINT         NOT NULL -- only grows
);
