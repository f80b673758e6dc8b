-- Fenceline's append streams on HSQLDB, version 1. What is there already is left as it is.
CREATE TABLE IF NOT EXISTS fenceline_fences_stream (
  stream      VARBINARY(512) NOT NULL,
  position    BIGINT         NOT NULL, -- from 1, without gaps
  token       BIGINT         NOT NULL, -- who appended; never falls along a stream
  payload     BLOB           NOT NULL,
  PRIMARY KEY (stream, position)
);
