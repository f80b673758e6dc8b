-- Fenceline's append streams on SQL Server, version 1. What is there already is left as it is.
IF OBJECT_ID(N'fenceline_fences_stream') IS NULL
CREATE TABLE fenceline_fences_stream (
  stream      VARBINARY(512) NOT NULL,
  position    BIGINT         NOT NULL, -- from 1, without gaps
  token       BIGINT         NOT NULL, -- who appended; never falls along a stream
  payload     VARBINARY(MAX) NOT NULL,
  appended_at DATETIME2(6)   NOT NULL DEFAULT SYSUTCDATETIME(),
  PRIMARY KEY (stream, position)
);
