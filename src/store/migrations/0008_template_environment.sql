-- The environment of a template, encrypted (store/sealer.hpp); empty when it has none. Rows of older
-- versions have it in clear in `spec` until the store has been opened once (store/reseal.hpp).
ALTER TABLE templates ADD COLUMN environment ${blob} NOT NULL DEFAULT '';
