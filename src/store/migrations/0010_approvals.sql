-- Executions that a person must approve; `id` is the execution's. `request` is encrypted
-- (store/sealer.hpp): it holds variables and input. Empty once it is decided.
CREATE TABLE approvals (
  id ${text} PRIMARY KEY,
  session_id ${text} NOT NULL,
  tenant ${text} NOT NULL,
  key_id ${text} NOT NULL,
  state ${text} NOT NULL,
  level ${text} NOT NULL,
  findings ${text} NOT NULL,
  shown ${text} NOT NULL,
  content_hash ${text} NOT NULL,
  ends_session BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  decided_at BIGINT,
  decided_by ${text} NOT NULL,
  reason ${text} NOT NULL,
  remembered_until BIGINT,
  request ${blob} NOT NULL
);
CREATE INDEX approvals_by_session ON approvals (session_id);
CREATE INDEX approvals_by_tenant ON approvals (tenant, state, id);

-- What happens to risky code of a key: {"high": "ask"}.
ALTER TABLE api_keys ADD COLUMN policy ${text} NOT NULL DEFAULT '{}';
