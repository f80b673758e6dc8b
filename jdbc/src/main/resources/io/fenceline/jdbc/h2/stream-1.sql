-- Fenceline's append streams on H2, version 1. What is there already is left as it is.
CREATE TABLE IF NOT EXISTS fenceline_fences_stream (
  stream      VARBINARY(512) NOT NULL,
  position    BIGINT         NOT NULL, -- from 1, without gaps
  token       BIGINT         NOT NULL, -- who appended; never falls along a stream
  payload     BINARY LARGE OBJECT NOT NULL, -- the name of a BLOB that H2 knows in all its modes
  appended_at BIGINT         NOT NULL DEFAULT CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT),
  PRIMARY KEY (stream, position)
);
