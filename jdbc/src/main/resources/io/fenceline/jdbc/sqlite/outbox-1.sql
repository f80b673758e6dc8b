-- Fenceline's outbox on SQLite, version 1. Times are in milliseconds since 1970. What is there already is left as it is.

-- Messages to those who cannot check tokens. Written in the business transaction, delivered afterwards.
CREATE TABLE IF NOT EXISTS fenceline_outbox (
  id              INTEGER PRIMARY KEY AUTOINCREMENT, -- within a resource, the order of delivery
  outbox          TEXT    NOT NULL, -- each has a relay of its own
  resource        TEXT    NOT NULL,
  lock_key        TEXT    NOT NULL, -- with fence, the stamp of the write
  fence           INTEGER NOT NULL,
  idempotency_key TEXT    NOT NULL, -- the receiver tells repetitions by it
  destination     TEXT    NOT NULL,
  payload         BLOB    NOT NULL,
  headers         TEXT    NOT NULL, -- form-encoded
  state           TEXT    NOT NULL DEFAULT 'PENDING' CHECK (state IN
                    ('PENDING', 'DELIVERED', 'COMPENSATING', 'COMPENSATED', 'DEAD', 'SKIPPED')),
  attempts        INTEGER NOT NULL DEFAULT 0, -- deliveries that were begun
  compensations   INTEGER NOT NULL DEFAULT 0, -- compensations that were begun
  added_at        INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  settled_at      INTEGER,                    -- NULL while something is still to be done
  last_error      TEXT    NOT NULL DEFAULT '',
  UNIQUE (outbox, idempotency_key)
) STRICT;

-- Only what is not settled is ever looked for.
CREATE INDEX IF NOT EXISTS fenceline_outbox_open ON fenceline_outbox (outbox, id) WHERE settled_at IS NULL;
CREATE INDEX IF NOT EXISTS fenceline_outbox_order ON fenceline_outbox (outbox, resource, id) WHERE settled_at IS NULL;
CREATE INDEX IF NOT EXISTS fenceline_outbox_settled ON fenceline_outbox (outbox, settled_at) WHERE settled_at IS NOT NULL;
