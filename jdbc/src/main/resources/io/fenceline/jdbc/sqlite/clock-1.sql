-- Fenceline's generation clocks on SQLite, version 1. What is there already is left as it is.
CREATE TABLE IF NOT EXISTS fenceline_fences_clock (
  name        TEXT    NOT NULL PRIMARY KEY,
  last_number INTEGER NOT NULL -- only grows
) STRICT, WITHOUT ROWID;
