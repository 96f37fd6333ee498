-- Who did what. Ids sort by time, so that they serve for pages, for since and until, and for what is
-- old. No other index: every request pays for it, and hardly anybody searches. In SQLite the primary
-- key is the table.
CREATE TABLE audit (
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  time BIGINT NOT NULL,
  key_id ${text} NOT NULL,
  action ${text} NOT NULL,
  outcome ${text} NOT NULL,
  session_id ${text} NOT NULL,
  execution_id ${text} NOT NULL,
  trace_id ${text} NOT NULL,
  request_id ${text} NOT NULL,
  detail ${text} NOT NULL,
  PRIMARY KEY (tenant, id)
)${clustered};
