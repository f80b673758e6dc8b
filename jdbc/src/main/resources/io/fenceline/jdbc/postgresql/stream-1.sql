-- Fenceline's append streams on PostgreSQL, version 1. What is there already is left as it is.
CREATE TABLE IF NOT EXISTS fenceline_fences_stream (
  stream      text COLLATE "C" NOT NULL,
  position    bigint           NOT NULL, -- from 1, without gaps
  token       bigint           NOT NULL, -- who appended; never falls along a stream
  payload     bytea            NOT NULL,
  appended_at timestamptz      NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (stream, position)
);
