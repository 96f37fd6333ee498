-- What a session that was still being made when the server ended is made of, and sessions that
-- nobody will ask for again.
ALTER TABLE sessions ADD COLUMN snapshot_id ${text} NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN one_shot BIGINT NOT NULL DEFAULT 0;
