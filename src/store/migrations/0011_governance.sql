-- What a tenant may use at most, and how many executions it has had on its last day.
CREATE TABLE tenants (
  id ${text} NOT NULL PRIMARY KEY,
  quotas ${text} NOT NULL,
  day BIGINT NOT NULL,
  day_executions BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- One chain of hashes per server: seq counts its rows from 1, hash is over the row and the hash
-- before it. Rows from before this migration are in no chain.
ALTER TABLE audit ADD COLUMN result ${text} NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN chain ${text} NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN seq BIGINT;
ALTER TABLE audit ADD COLUMN hash ${text} NOT NULL DEFAULT '';
CREATE UNIQUE INDEX audit_chain ON audit (chain, seq);

-- The last row of each chain, and what its oldest row that is still kept follows.
CREATE TABLE audit_heads (
  chain ${text} NOT NULL PRIMARY KEY,
  seq BIGINT NOT NULL,
  hash ${text} NOT NULL,
  removed_seq BIGINT NOT NULL,
  removed_hash ${text} NOT NULL
);
