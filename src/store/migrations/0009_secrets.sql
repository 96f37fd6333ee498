-- Secrets of tenants, encrypted (store/sealer.hpp).
CREATE TABLE secrets (
  tenant ${text} NOT NULL,
  name ${text} NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  value ${blob} NOT NULL,
  PRIMARY KEY (tenant, name)
);

-- Network policies, encrypted as a whole: headers in them may hold tokens. Empty: none.
ALTER TABLE sessions ADD COLUMN network ${blob} NOT NULL DEFAULT '';
ALTER TABLE templates ADD COLUMN network ${blob} NOT NULL DEFAULT '';
