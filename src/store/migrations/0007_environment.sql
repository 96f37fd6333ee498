-- The environment of a session, encrypted (store/sealer.hpp); empty when it has none. Rows of older
-- versions have it in clear in `config` until the store has been opened once (store/reseal.hpp).
ALTER TABLE sessions ADD COLUMN environment ${blob} NOT NULL DEFAULT '';
