-- What remove_old() looks for.
CREATE INDEX sessions_by_end ON sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- One row for each writing server, counted up by each of its transactions: it tells whether a commit
-- happened whose answer was lost (PostgreSQL). The row 'ping' is written by ping().
CREATE TABLE writers (
  id ${text} PRIMARY KEY,
  number BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);
