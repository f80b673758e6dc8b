-- Fenceline's generation clocks on PostgreSQL, version 1. What is there already is left as it is.
CREATE TABLE IF NOT EXISTS fenceline_fences_clock (
  name        text COLLATE "C" NOT NULL PRIMARY KEY,
  last_number bigint           NOT NULL -- only grows
) WITH (fillfactor = 50);
