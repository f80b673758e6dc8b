-- Fenceline's outbox on PostgreSQL, version 1. What is there already is left as it is.

-- Messages to those who cannot check tokens. Written in the business transaction, delivered afterwards.
CREATE TABLE IF NOT EXISTS fenceline_outbox (
  id              bigint           NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- within a resource, the order of delivery
  outbox          text COLLATE "C" NOT NULL, -- each has a relay of its own
  resource        text COLLATE "C" NOT NULL,
  lock_key        text             NOT NULL, -- with fence, the stamp of the write
  fence           bigint           NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL, -- the receiver tells repetitions by it
  destination     text             NOT NULL,
  payload         bytea            NOT NULL,
  headers         text             NOT NULL, -- form-encoded
  state           text             NOT NULL DEFAULT 'PENDING' CHECK (state IN
                    ('PENDING', 'DELIVERED', 'COMPENSATING', 'COMPENSATED', 'DEAD', 'SKIPPED')),
  attempts        integer          NOT NULL DEFAULT 0, -- deliveries that were begun
  compensations   integer          NOT NULL DEFAULT 0, -- compensations that were begun
  added_at        timestamptz      NOT NULL DEFAULT clock_timestamp(),
  next_attempt_at timestamptz      NOT NULL DEFAULT clock_timestamp(),
  settled_at      timestamptz,               -- NULL while something is still to be done
  last_error      text             NOT NULL DEFAULT '',
  UNIQUE (outbox, idempotency_key)
);

-- Only what is not settled is ever looked for.
CREATE INDEX IF NOT EXISTS fenceline_outbox_open ON fenceline_outbox (outbox, id) WHERE settled_at IS NULL;
CREATE INDEX IF NOT EXISTS fenceline_outbox_order ON fenceline_outbox (outbox, resource, id) WHERE settled_at IS NULL;
CREATE INDEX IF NOT EXISTS fenceline_outbox_settled ON fenceline_outbox (outbox, settled_at) WHERE settled_at IS NOT NULL;
