-- Fenceline's append streams on SQLite, version 1. What is there already is left as it is.
CREATE TABLE IF NOT EXISTS fenceline_fences_stream (
  stream      TEXT    NOT NULL,
  position    INTEGER NOT NULL, -- from 1, without gaps
  token       INTEGER NOT NULL, -- who appended; never falls along a stream
  payload     BLOB    NOT NULL,
  appended_at INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)), -- since 1970
  PRIMARY KEY (stream, position)
) STRICT;
