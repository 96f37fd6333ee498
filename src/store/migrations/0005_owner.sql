-- An admin manages its own tenant only. Until now every admin managed the whole server, so the oldest
-- admin key that is still valid becomes the owner's: one of the tenant `default` if there is one.
UPDATE api_keys SET role = 'owner' WHERE id = (
  SELECT id FROM api_keys WHERE role = 'admin' AND revoked_at IS NULL
  ORDER BY CASE WHEN tenant = 'default' THEN 0 ELSE 1 END, created_at, id LIMIT 1);

-- Empty: the server's template, which every tenant sees. All that were there before are.
ALTER TABLE templates ADD COLUMN tenant ${text} NOT NULL DEFAULT '';
