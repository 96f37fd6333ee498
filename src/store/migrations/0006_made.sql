-- A key remembers what its request made, not the text of the answer. Answers that an earlier server kept
-- are turned into that; a row whose thing is gone is dropped.
ALTER TABLE idempotency ADD COLUMN kind ${text} NOT NULL DEFAULT '';
ALTER TABLE idempotency ADD COLUMN state ${text} NOT NULL DEFAULT 'done';
UPDATE idempotency SET kind = CASE
  WHEN EXISTS (SELECT 1 FROM sessions WHERE sessions.id = idempotency.made) THEN 'session'
  WHEN EXISTS (SELECT 1 FROM executions WHERE executions.id = idempotency.made) THEN 'execution'
  WHEN EXISTS (SELECT 1 FROM contexts WHERE contexts.id = idempotency.made) THEN 'context'
  WHEN EXISTS (SELECT 1 FROM snapshots WHERE snapshots.id = idempotency.made) THEN 'snapshot'
  WHEN EXISTS (SELECT 1 FROM api_keys WHERE api_keys.id = idempotency.made) THEN 'key'
  WHEN EXISTS (SELECT 1 FROM templates WHERE templates.id = idempotency.made) THEN 'template'
  ELSE '' END;
DELETE FROM idempotency WHERE kind = '';
UPDATE idempotency SET state = 'accepted' WHERE status = 202;
UPDATE idempotency SET state = 'found' WHERE status = 200 AND kind = 'session';
ALTER TABLE idempotency DROP COLUMN status;
ALTER TABLE idempotency DROP COLUMN answer;
