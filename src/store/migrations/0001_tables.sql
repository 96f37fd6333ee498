-- Times are milliseconds since 1970, states are their names in the API, maps and lists are JSON.
CREATE TABLE sessions (
  id ${text} PRIMARY KEY,
  tenant ${text} NOT NULL,
  key_id ${text} NOT NULL,
  session_key ${text} NOT NULL,
  template_id ${text} NOT NULL,
  runtime_node ${text} NOT NULL,
  backend ${text} NOT NULL,
  sandbox_id ${text} NOT NULL,
  state ${text} NOT NULL,
  config ${text} NOT NULL,
  labels ${text} NOT NULL,
  metadata ${text} NOT NULL,
  isolation_layers ${text} NOT NULL,
  isolation_missing ${text} NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  ready_at BIGINT,
  expires_at BIGINT,
  ended_at BIGINT,
  error_code ${text} NOT NULL,
  error_message ${text} NOT NULL
);
CREATE INDEX sessions_by_tenant ON sessions (tenant, id);
CREATE INDEX sessions_by_state ON sessions (state, id);

-- The same as sessions.labels, to be searched.
CREATE TABLE session_labels (
  session_id ${text} NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  name ${text} NOT NULL,
  value ${text} NOT NULL,
  PRIMARY KEY (session_id, name)
);
CREATE INDEX session_labels_by_value ON session_labels (name, value, session_id);

CREATE TABLE executions (
  id ${text} PRIMARY KEY,
  session_id ${text} NOT NULL REFERENCES sessions (id),
  tenant ${text} NOT NULL,
  state ${text} NOT NULL,
  request_json ${text} NOT NULL,
  context_id ${text} NOT NULL,
  exec_id BIGINT NOT NULL,
  exit_code BIGINT,
  truncated BIGINT NOT NULL,
  result_json ${text} NOT NULL,
  files_json ${text} NOT NULL,
  error_code ${text} NOT NULL,
  error_message ${text} NOT NULL,
  cpu_user_ms BIGINT NOT NULL,
  cpu_system_ms BIGINT NOT NULL,
  memory_peak_bytes BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  duration_ms BIGINT NOT NULL
);
CREATE INDEX executions_by_session ON executions (session_id, id);
CREATE INDEX executions_unfinished ON executions (state, id)
  WHERE state IN ('queued', 'awaiting_approval', 'running');

-- Apart from executions, so that listings do not read it. With in_file the bytes are in
-- DATA/outputs and the columns are empty.
CREATE TABLE outputs (
  execution_id ${text} PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  in_file BIGINT NOT NULL,
  stdout_bytes ${blob} NOT NULL,
  stderr_bytes ${blob} NOT NULL,
  merged ${blob} NOT NULL
);
CREATE INDEX outputs_in_files ON outputs (execution_id) WHERE in_file = 1;

CREATE TABLE templates (
  id ${text} PRIMARY KEY,
  spec ${text} NOT NULL,
  built_in BIGINT NOT NULL,
  version BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
  id ${text} PRIMARY KEY,
  tenant ${text} NOT NULL,
  role ${text} NOT NULL,
  name ${text} NOT NULL,
  secret_hash ${text} NOT NULL,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT
);

CREATE TABLE contexts (
  id ${text} PRIMARY KEY,
  session_id ${text} NOT NULL REFERENCES sessions (id),
  language ${text} NOT NULL,
  cwd ${blob} NOT NULL,
  is_default BIGINT NOT NULL,
  exec_id BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX contexts_by_session ON contexts (session_id, id);

-- A snapshot outlives the session that it was taken of.
CREATE TABLE snapshots (
  id ${text} PRIMARY KEY,
  session_id ${text} NOT NULL,
  tenant ${text} NOT NULL,
  name ${text} NOT NULL,
  size BIGINT NOT NULL,
  file ${text} NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE idempotency (
  tenant ${text} NOT NULL,
  idempotency_key ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  status BIGINT,
  answer ${blob} NOT NULL,
  made ${text} NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, idempotency_key)
);
