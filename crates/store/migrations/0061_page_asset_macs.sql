-- Shows that the service stored the file: the file's hash and path, authenticated with a key of the vault. Empty if the node
-- that stored the file has no vault.
ALTER TABLE page_assets ADD COLUMN mac TEXT NOT NULL DEFAULT '';
